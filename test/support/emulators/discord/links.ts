import type { APIEmbed } from "./wire-types.ts";

/** The embeds the platform makes of the links in a text; `<link>` has none. At most five. */
export function linkEmbeds(content: string): APIEmbed[] {
  const links = [...content.matchAll(/(?<!<)https?:\/\/[^\s<>]+/g)].map((match) => match[0]);
  return [...new Set(links)].slice(0, 5).flatMap((url) => {
    if (!URL.canParse(url)) return [];
    // The published type of an embed's kind is an enumeration; on the wire it is this word.
    return [{ type: "link", url, title: new URL(url).hostname } as unknown as APIEmbed];
  });
}
