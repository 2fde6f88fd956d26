import type { KnownPerson } from "../address.ts";

/** The text of a message as people see it, without this bot's own mention, and whom it addresses. */
export interface ReadText {
  readonly text: string;
  /** This bot is mentioned. */
  readonly bot: boolean;
  /** Somebody else is mentioned. */
  readonly others: boolean;
}

const MARKUP = /<([^<>]*)>/g;

/**
 * Turns Slack's wire form into words: `<@U…>`, `<#C…|name>`, `<url|label>`, and the three escaped characters. Everything that
 * a person typed stays verbatim. The bot's own mention goes with the space that set it off.
 */
export function readText(
  wire: string,
  botUserId: string,
  people: ReadonlyMap<string, Pick<KnownPerson, "username" | "name">>,
): ReadText {
  let bot = false;
  let others = false;
  const said = cutOwn(wire, botUserId, () => {
    bot = true;
  }).replace(MARKUP, (whole, inner: string) => {
    const [target = "", label] = split(inner);
    const mark = target[0];
    if (mark === "@") {
      others = true;
      const id = target.slice(1);
      const person = people.get(id);
      return `@${label ?? person?.username ?? person?.name ?? id}`;
    }
    if (mark === "#") return `#${label === undefined || label === "" ? target.slice(1) : label}`;
    if (mark === "!") return special(target.slice(1), label);
    return target === "" ? whole : link(target, label);
  });
  return { text: decode(said), bot, others };
}

/** Ids of the people a text mentions, so that they can be looked up before it is read. */
export function mentionedIn(wire: string): readonly string[] {
  return [...wire.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id = ""]) => id);
}

export function mentions(wire: string, userId: string): boolean {
  return mentionedIn(wire).includes(userId);
}

function cutOwn(wire: string, botUserId: string, found: () => void): string {
  const own = new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`, "g");
  let text = wire;
  for (let match = own.exec(text); match !== null; match = own.exec(text)) {
    found();
    const before = text.slice(0, match.index);
    const after = text.slice(match.index + match[0].length);
    text = joined(before, after);
    own.lastIndex = 0;
  }
  return text;
}

function joined(before: string, after: string): string {
  if (before.trim() === "") return after.trimStart();
  if (after.trim() === "") return before.trimEnd();
  return /\s$/.test(before) && /^\s/.test(after) ? before + after.slice(1) : before + after;
}

function split(inner: string): [string, string | undefined] {
  const bar = inner.indexOf("|");
  return bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
}

/** `<!channel>`, `<!subteam^S1|@team>`, `<!date^…|fallback>`. */
function special(command: string, label: string | undefined): string {
  if (label !== undefined) return label;
  return `@${command.replace(/^subteam\^/, "")}`;
}

/** Slack wraps what people typed: a label that only repeats the address is not worth showing twice. */
function link(url: string, label: string | undefined): string {
  const bare = url.replace(/^(?:mailto|tel):/, "");
  if (label === undefined) return bare;
  const same = [url, bare, url.replace(/^https?:\/\//, "")].includes(label);
  return same ? label : `${label} (${bare})`;
}

/** The three characters that Slack escapes, as people typed them. */
export function decode(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_whole, name: string) => (name === "lt" ? "<" : name === "gt" ? ">" : "&"));
}
