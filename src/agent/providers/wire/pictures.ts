/** What one protocol takes of pictures. */
export interface PictureRules {
  readonly types: readonly string[];
  /** The most bytes of one picture before encoding. */
  readonly maxBytes: number;
}

/** The type the bytes say, whatever the file was called: a wrong type is refused by Anthropic and others (FC-201). */
export function pictureType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16));
  if (head.length < 12) return null;
  if (head.readUInt32BE(0) === 0x89504e47) return "image/png";
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  const text = head.toString("latin1");
  if (text.startsWith("GIF8")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  if (text.slice(4, 8) === "ftyp" && /^(heic|heix|mif1|msf1|heif)/.test(text.slice(8, 12))) return "image/heic";
  return null;
}

/** The type to send a picture as, or null: this server would refuse the whole request for it. */
export function acceptedType(bytes: Uint8Array, rules: PictureRules): string | null {
  const type = pictureType(bytes);
  return type !== null && rules.types.includes(type) && bytes.byteLength <= rules.maxBytes ? type : null;
}
