const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Mentions, channel links and links that the platform has already put in angle brackets. */
const TOKEN = /<(?:[@#!][^<>\s]+|https?:\/\/[^<>\s]+|mailto:[^<>\s]+)>/g;
const URL_IN_TEXT = /https?:\/\/[^\s<>]+[^\s<>.,;:!?)]/g;

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** What a person types, in the form apps receive it: `& < >` escaped, links in angle brackets, mentions as they are. */
export function typedText(text: string): string {
  const kept = text.match(TOKEN) ?? [];
  return text
    .split(TOKEN)
    .map((part) => escaped(part).replace(URL_IN_TEXT, (url) => `<${url}>`))
    .reduce((whole, part, index) => `${whole}${kept[index - 1] ?? ""}${part}`);
}

/** The `rich_text` block the client sends along with a text. */
export function richText(text: string, blockId: string): Record<string, unknown> {
  const elements = text.split(/(<[^<>]+>)/).flatMap((part): Record<string, unknown>[] => {
    if (part === "") return [];
    const user = /^<@([A-Z0-9]+)/.exec(part)?.[1];
    if (user !== undefined) return [{ type: "user", user_id: user }];
    const channel = /^<#([A-Z0-9]+)/.exec(part)?.[1];
    if (channel !== undefined) return [{ type: "channel", channel_id: channel }];
    const range = /^<!(here|channel|everyone)>/.exec(part)?.[1];
    if (range !== undefined) return [{ type: "broadcast", range }];
    const url = /^<(https?:[^|>]+)/.exec(part)?.[1];
    if (url !== undefined) return [{ type: "link", url }];
    return [{ type: "text", text: part.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") }];
  });
  return { type: "rich_text", block_id: blockId, elements: [{ type: "rich_text_section", elements }] };
}
