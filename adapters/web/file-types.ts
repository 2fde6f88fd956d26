/** Images a browser may show in place. SVG is none of them: it can carry script. */
const INLINE_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export function isInlineImage(mime: string): boolean {
  return (INLINE_IMAGES as readonly string[]).includes(mime);
}

/** The image type its first bytes prove, or null. What an upload calls itself is never trusted for showing it. */
export function sniffImage(bytes: Uint8Array): string | null {
  const starts = (...signature: number[]): boolean => signature.every((byte, at) => bytes[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isWebp = starts(0x52, 0x49, 0x46, 0x46) && Buffer.from(bytes.subarray(8, 12)).toString("latin1") === "WEBP";
  return isWebp ? "image/webp" : null;
}

/** Headers under which stored bytes go out: an image in place, everything else as a download that runs nothing (IN-12). */
export function fileHeaders(bytes: Uint8Array, name: string): Record<string, string> {
  const image = sniffImage(bytes);
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, "_");
  return {
    "content-type": image ?? "application/octet-stream",
    "content-length": String(bytes.byteLength),
    "content-disposition": `${image === null ? "attachment" : "inline"}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable",
  };
}
