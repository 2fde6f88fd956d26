import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pageProblems } from "../../src/core/texts/page.ts";
import { PREFIX } from "./address.ts";

interface Asset {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly type: string;
}

export interface Assets {
  /** The address of an asset; it changes with the content of any of them, so that a browser may keep it for ever. */
  url(name: string): string;
  respond(version: string, name: string): Response;
}

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
/**
 * htmx and its extensions are one script: loaded apart, htmx may start on the page before an extension is there, and the
 * stream would never be opened.
 */
const FILES: readonly { readonly name: string; readonly type: string; readonly from: readonly string[] }[] = [
  {
    name: "htmx.js",
    type: SCRIPT,
    from: ["htmx.org/dist/htmx.min.js", "htmx.org/dist/ext/hx-sse.min.js", "htmx.org/dist/ext/hx-upsert.min.js"],
  },
  { name: "chat.js", type: SCRIPT, from: ["./static/chat.js"] },
  { name: "reading.js", type: SCRIPT, from: ["./static/reading.js"] },
  { name: "texts.js", type: SCRIPT, from: ["./static/texts.js"] },
  { name: "copying.js", type: SCRIPT, from: ["./static/copying.js"] },
  { name: "keyboard.js", type: SCRIPT, from: ["./static/keyboard.js"] },
  { name: "highlight.js", type: SCRIPT, from: ["@highlightjs/cdn-assets/es/highlight.min.js"] },
  { name: "highlighting.js", type: SCRIPT, from: ["./static/highlighting.js"] },
  { name: "unsent.js", type: SCRIPT, from: ["./static/unsent.js"] },
  { name: "outgoing.js", type: SCRIPT, from: ["./static/outgoing.js"] },
  { name: "suggestions.js", type: SCRIPT, from: ["./static/suggestions.js"] },
  { name: "chat.css", type: STYLE, from: ["./static/chat.css"] },
  { name: "places.css", type: STYLE, from: ["./static/places.css"] },
  { name: "code.css", type: STYLE, from: ["./static/code.css"] },
  { name: "messages.css", type: STYLE, from: ["./static/messages.css"] },
  { name: "composer.css", type: STYLE, from: ["./static/composer.css"] },
  { name: "icon.svg", type: "image/svg+xml", from: ["./static/icon.svg"] },
];

/** Reads the page's scripts and styles once. Rejects when one is missing: then the installation is broken. */
export async function loadAssets(): Promise<Assets> {
  const assets = new Map<string, Asset>();
  const hash = createHash("sha256");
  for (const { name, type, from } of FILES) {
    const parts = await Promise.all(from.map(readPart));
    const bytes = Buffer.from(parts.join("\n"));
    hash.update(name).update(bytes);
    assets.set(name, { bytes, type });
  }
  const version = hash.digest("hex").slice(0, 12);
  return {
    url: (name) => `${PREFIX}/assets/${version}/${name}`,
    respond(asked, name) {
      const asset = assets.get(name);
      if (asset === undefined) return new Response(pageProblems.notFound, { status: 404 });
      // An older page may ask for an older version: it gets what there is, but must not keep it under that address.
      const caching = asked === version ? "public, max-age=31536000, immutable" : "no-cache";
      return new Response(asset.bytes, { headers: { "content-type": asset.type, "cache-control": caching } });
    },
  };
}

function readPart(from: string): Promise<string> {
  const url = from.startsWith("./") ? new URL(from, import.meta.url) : new URL(import.meta.resolve(from));
  return readFile(url, "utf8");
}
