import type { MdBlock, MdInline } from "./markdown-tree.ts";
import { rewriteTexts } from "./markdown-tree.ts";

/** Somebody who wrote in a conversation, by the platform's id and the names agents read of them, the shown one first. */
export interface Mentionable {
  readonly id: string;
  readonly names: readonly string[];
}

const LONGEST_NAME = 64;
/** `<@id>` and `<@!id>`, with or without a label. */
const BY_ID = /<@!?([^<>|\s]{1,40})(?:\|[^<>\n]{0,100})?>/y;
const LETTER = /[\p{L}\p{N}_]/u;

/**
 * Makes what an agent wrote of people of the conversation a mention (DL-8): `<@id>`, and `@name` as the agent read it. Anybody else
 * stays text, and so does a name that two people have. Linear in the text.
 */
export function mentionPeople(nodes: readonly MdBlock[], people: readonly Mentionable[]): MdBlock[] {
  const known = directoryOf(people);
  if (known === null) return [...nodes];
  return rewriteTexts(nodes, (text) => (text.includes("@") ? withMentions(text, known) : [{ type: "text", text }]));
}

interface Directory {
  readonly byId: ReadonlyMap<string, Mentionable>;
  /** Lower case; null: several people have it. */
  readonly byName: ReadonlyMap<string, Mentionable | null>;
  /** Of the names, longest first. */
  readonly lengths: readonly number[];
}

function directoryOf(people: readonly Mentionable[]): Directory | null {
  if (people.length === 0) return null;
  const byId = new Map(people.map((person) => [person.id, person]));
  const byName = new Map<string, Mentionable | null>();
  for (const person of byId.values()) {
    for (const name of new Set(person.names.map((one) => one.toLowerCase()))) {
      if (name.trim() === "" || name.length > LONGEST_NAME) continue;
      byName.set(name, byName.has(name) ? null : person);
    }
  }
  const lengths = [...new Set([...byName.keys()].map(({ length }) => length))].toSorted((a, b) => b - a);
  return { byId, byName, lengths };
}

interface Found {
  readonly person: Mentionable;
  readonly end: number;
}

function withMentions(text: string, known: Directory): readonly MdInline[] {
  const parts: MdInline[] = [];
  let last = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if (at < last) continue;
    const opened = at > 0 && text.charAt(at - 1) === "<";
    const found = opened ? byId(text, at - 1, known) : byName(text, at, known);
    if (found === null) continue;
    const from = opened ? at - 1 : at;
    if (from > last) parts.push({ type: "text", text: text.slice(last, from) });
    const { person, end } = found;
    parts.push({ type: "mention", id: person.id, name: person.names[0] ?? person.id });
    last = end;
  }
  if (last < text.length) parts.push({ type: "text", text: text.slice(last) });
  return parts;
}

function byId(text: string, at: number, { byId: people }: Directory): Found | null {
  BY_ID.lastIndex = at;
  const match = BY_ID.exec(text);
  const person = people.get(match?.[1] ?? "");
  return match === null || person === undefined ? null : { person, end: at + match[0].length };
}

function byName(text: string, at: number, { byName: people, lengths }: Directory): Found | null {
  if (at > 0 && LETTER.test(text.charAt(at - 1))) return null;
  for (const length of lengths) {
    const name = text.slice(at + 1, at + 1 + length);
    if (name.length < length) continue;
    const person = people.get(name.toLowerCase());
    if (person === undefined || goesOn(name, text.charAt(at + 1 + length))) continue;
    if (person === null) return null;
    const end = at + 1 + length;
    // What an agent reads of a mention on Discord has the id behind the name.
    const shown = ` (${person.id})`;
    return { person, end: text.startsWith(shown, end) ? end + shown.length : end };
  }
  return null;
}

/** A longer word is another name. Scripts without spaces write on right behind one. */
function goesOn(name: string, next: string): boolean {
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]$/u.test(name) && LETTER.test(next);
}

/** Whether a tree mentions a person who is notified. */
export function mentionsAnyone(nodes: readonly MdBlock[]): boolean {
  return JSON.stringify(nodes).includes('"type":"mention"');
}
