import type { Renderer, ThreadAbility } from "../channel/capabilities.ts";
import type { NewDelivery, RenderedPiece, Route } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import { section } from "../core/instrument.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import { isSilent, stripControlWords, visibleBeforeControlWord } from "../core/text/control-words.ts";
import { type MdNode, parseMarkdown } from "../core/text/markdown.ts";
import { type MdBlock, neutraliseTree } from "../core/text/markdown-tree.ts";
import { type Mentionable, mentionPeople, mentionsAnyone } from "../core/text/mention-people.ts";
import { isBlank } from "../core/text/plain-text.ts";
import { sanitise } from "../core/text/sanitise.ts";
import { splitMarkdown } from "../core/text/split.ts";
import { notices } from "../core/texts/chat/notices.ts";
import { deliveryRules } from "../core/texts/rules.ts";
import { pause, type Timers } from "../core/time.ts";
import type { Slot } from "../work/work-queue.ts";
import { markdownSource } from "./markdown-source.ts";
import { type DeliveryAccount, type DeliveryAccounts, PLAIN_RENDERER } from "./pacing.ts";

export interface AnswerText {
  /** Model text as it was stored: Markdown, including leaked markup. */
  readonly text: string;
  readonly renderer: Renderer;
  /** `delivery.maxChunks`; what does not fit goes as a file (DL-6). */
  readonly maxChunks: number;
  /** The model's reasoning, only when the session shows it (`/reasoning on`, DL-10). */
  readonly reasoning?: string | null;
  /** Markdown that Switchyard adds to the answer: tool calls and usage (CM-10). Never alone: a silent answer has none. */
  readonly above?: string | null;
  readonly below?: string | null;
  /** The people of the conversation, who may be mentioned (DL-8). Absent: no one is. */
  readonly people?: readonly Mentionable[];
}

export type PreparedAnswer =
  | {
      readonly kind: "pieces";
      /** At least one, each within the platform's limit in both forms. */
      readonly pieces: readonly RenderedPiece[];
      readonly overflow: { readonly name: string; readonly text: string } | null;
    }
  /** Nothing goes out: the answer was a control word (TN-9), or nothing of it is for people (DL-10). */
  | { readonly kind: "silent"; readonly reason: "control_word" | "empty" };

/**
 * The one way out (DL-7): drops what is not for people, strips control words, parses once, makes broadcast mentions
 * inert, splits once and renders every piece both rich and plain. Pure. No text reaches an adapter past it.
 */
export function prepareAnswer(input: AnswerText): PreparedAnswer {
  return section("prepare an answer", () => prepared(input));
}

function prepared(input: AnswerText): PreparedAnswer {
  const { text, renderer, maxChunks, reasoning, above, below, people = [] } = input;
  const visible = sanitise(text).text;
  if (isSilent(visible)) return { kind: "silent", reason: "control_word" };
  const answer = stripControlWords(visible);
  if (isBlank(parseMarkdown(answer))) return { kind: "silent", reason: "empty" };
  // Parsed by itself each: a fence the answer leaves open must not swallow what stands below it.
  const parsed = (source: string): MdBlock[] => neutraliseTree(parseMarkdown(source));
  const said = mentionPeople(parsed(withReasoning(answer, reasoning ?? null)), people);
  const nodes = [...parsed(above ?? ""), ...said, ...parsed(below ?? "")];
  const most = Math.max(1, maxChunks);
  const parts = splitMarkdown(nodes, { limit: renderer.maxLength, measure: (part) => lengthOf(renderer, part), most });
  const shown = parts.slice(0, most);
  const rest = parts.slice(shown.length);
  return {
    kind: "pieces",
    pieces: shown.map((part) => renderPiece(renderer, part)),
    overflow: rest.length === 0 ? null : { name: "answer.md", text: rest.map(markdownSource).join("\n\n") },
  };
}

/**
 * What a streaming preview shows of a growing text that the stream sanitiser has already been through (TN-11): its first
 * piece, or null while there is nothing to show or it could still become a control word (TN-9, FC-030). `above`: the tool
 * calls so far (CM-10); they are shown also while there is no text.
 */
export function preparePreview(text: string, renderer: Renderer, above: string | null = null): RenderedPiece | null {
  // More source than this never shows in one message; parsing all of a long answer at every edit would be wasted.
  const visible = visibleBeforeControlWord(text.slice(0, renderer.maxLength * 2));
  const nodes = neutraliseTree([above ?? "", visible].flatMap((source) => parseMarkdown(source)));
  if (isBlank(nodes)) return null;
  const measure = (part: readonly MdNode[]): number => lengthOf(renderer, part);
  const [first] = splitMarkdown(nodes, { limit: renderer.maxLength, measure, most: 1 });
  return first === undefined ? null : renderPiece(renderer, first);
}

export interface AnswerPlace {
  readonly route: Route;
  /** The idempotency key of the message at a position (DL-2). */
  readonly keyAt: (position: number) => string;
  /** The message that is answered, in this very conversation; null: none. Reply ids never cross destinations (FC-140). */
  readonly replyTo: string | null;
  readonly replyToMode: "off" | "first" | "all";
  /** Shown to the asking person only, where the platform can. */
  readonly private: boolean;
  /** The native call that is answered; absent or null: none. */
  readonly interactionId?: string | null;
  /** PORT: keeps a file's bytes until it is sent. */
  readonly storeFile: (file: { name: string; mime: string; bytes: Uint8Array }) => Promise<StoredAttachment>;
}

/** The outbox entries of a prepared answer, in order; none for a silent one. Rejects when the file cannot be stored. */
export async function answerDeliveries(answer: PreparedAnswer, place: AnswerPlace): Promise<readonly NewDelivery[]> {
  if (answer.kind === "silent") return [];
  const messages = answer.pieces.map((piece, position) => messageDelivery(piece, { ...place, position }));
  if (answer.overflow === null) return messages;
  const { name, text } = answer.overflow;
  const file = await place.storeFile({ name, mime: "text/markdown", bytes: Buffer.from(text, "utf8") });
  const key = place.keyAt(messages.length);
  return [
    ...messages,
    { key, route: place.route, content: { kind: "file", file, caption: notices.restOfAnswer, replyTo: null } },
  ];
}

/** One message of an answer; position 0 is also what a preview of it is written with (TN-11). */
export function messageDelivery(
  piece: RenderedPiece,
  place: Omit<AnswerPlace, "storeFile"> & { readonly position: number },
): NewDelivery {
  const { position, replyToMode, interactionId = null } = place;
  const quotes = replyToMode === "all" || (replyToMode === "first" && position === 0);
  return {
    key: place.keyAt(position),
    route: place.route,
    content: {
      kind: "message",
      piece,
      replyTo: quotes ? place.replyTo : null,
      private: place.private,
      ...(interactionId === null ? {} : { interaction: { id: interactionId, first: position === 0 } }),
    },
  };
}

/** Most texts mention no one, and for those nothing is read. */
export async function mentionable(
  text: string,
  people: () => Promise<readonly Mentionable[]>,
): Promise<readonly Mentionable[]> {
  return text.includes("@") ? await people() : [];
}

function withReasoning(answer: string, reasoning: string | null): string {
  const shown = reasoning === null ? "" : stripControlWords(sanitise(reasoning).text).trim();
  if (shown === "") return answer;
  return `${shown.replace(/^/gm, "> ")}\n\n${answer}`;
}

/** The longer of both forms: when the platform refuses the rich one, the plain one of the same piece must fit too. */
function lengthOf(renderer: Renderer, nodes: readonly MdNode[]): number {
  const { length, plain } = renderer.render(nodes);
  return Math.max(length, plain.length);
}

function renderPiece(renderer: Renderer, nodes: readonly MdNode[]): RenderedPiece {
  const { rich, plain } = renderer.render(nodes);
  return renderer.notifies === true && mentionsAnyone(nodes) ? { rich, plain, notifies: true } : { rich, plain };
}

/** A message that is no answer: text and files to a conversation. */
export interface ComposedMessage {
  readonly route: Route;
  /** Markdown; null: files only. */
  readonly text: string | null;
  readonly files: readonly StoredAttachment[];
  /** Its identity: the same message composed again has the same deliveries (DL-2). */
  readonly key: string;
  /** `delivery.maxChunks`. */
  readonly maxChunks: number;
}

/** PORT for messages to a conversation outside the turn's own (ST-40). An empty text creates no delivery. */
export type Compose = (message: ComposedMessage) => Promise<readonly NewDelivery[]>;

export function createCompose(deps: {
  readonly renderer: (channel: ChannelId, accountId: AccountId) => Renderer | null;
  readonly storeFile: AnswerPlace["storeFile"];
  readonly people: (route: Route) => Promise<readonly Mentionable[]>;
}): Compose {
  return async ({ route, text, files, key, maxChunks }) => {
    const renderer = deps.renderer(route.channel, route.accountId) ?? PLAIN_RENDERER;
    const messages =
      text === null
        ? []
        : await answerDeliveries(
            prepareAnswer({ text, renderer, maxChunks, people: await mentionable(text, () => deps.people(route)) }),
            {
              route,
              keyAt: (position) => `${key}:${position}`,
              replyTo: null,
              replyToMode: "off",
              private: false,
              storeFile: deps.storeFile,
            },
          );
    const attached = files.map((file, at): NewDelivery => {
      return { key: `${key}:file:${at}`, route, content: { kind: "file", file, caption: "", replyTo: null } };
    });
    return [...messages, ...attached];
  };
}

/** PORT for creating threads (TB-1). */
export interface Threads {
  /** Whether one can be made from there. Never throws. */
  ability(route: Route, signal: AbortSignal): Promise<ThreadAbility>;
  /** Text in the form of the route's platform, without mentions of many people. */
  render(route: Route, nodes: readonly MdBlock[]): RenderedPiece;
}

/** A caller that asks a platform releases its slot meanwhile: a slow platform must not use up what others need (DL-4, TN-1). */
export function askedWithoutSlot(threads: Threads, slot: Pick<Slot, "released">): Threads {
  return { ...threads, ability: (route, signal) => slot.released(() => threads.ability(route, signal)) };
}

/** How long a turn that goes on after a restart waits for its platform before it is told that there are no threads. */
const CONNECTS_MS = 30_000;
const LOOK_MS = 50;

export function createThreads(accounts: DeliveryAccounts, timers: Timers): Threads {
  /** An account that is still connecting can make threads as soon as it is ready: a crash must not change an answer. */
  async function readyAccount(route: Route, signal: AbortSignal): Promise<DeliveryAccount | null> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const account = accounts.find(route.channel, route.accountId);
      if (account === null || account.ready || waited >= CONNECTS_MS || signal.aborted) return account;
      await pause(LOOK_MS, signal, timers);
    }
  }

  return {
    async ability(route, signal) {
      const account = await readyAccount(route, signal);
      if (account === null) return { can: false, reason: deliveryRules.noAccount(route.channel, route.accountId) };
      const { threads } = account.adapter.capabilities;
      if (threads === undefined) return { can: false, reason: deliveryRules.noThreads(route.channel) };
      return threads.canCreate(route, signal);
    },
    render(route, nodes) {
      const renderer = accounts.find(route.channel, route.accountId)?.adapter.renderer ?? PLAIN_RENDERER;
      const { rich, plain } = renderer.render(neutraliseTree(nodes));
      return { rich, plain };
    },
  };
}
