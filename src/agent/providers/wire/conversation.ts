import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { ModelMessage, ModelPart } from "../../../core/model.ts";
import { cutMiddle } from "../../../core/text/cut.ts";
import {
  continueRequest,
  earlierLeftOut,
  emptyMessage,
  pictureNotSent,
  strayResult,
} from "../../../core/texts/agent/wire.ts";
import type { Form } from "./protocol.ts";

export type TextBlock = { readonly type: "text"; readonly text: string };
export type PictureBlock = { readonly type: "picture"; readonly mime: string; readonly base64: string };
export type ReasoningBlock = { readonly type: "reasoning"; readonly text: string; readonly data: JsonObject };
export type CallBlock = {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** What the model's server wants back with its own call; null for calls of other models. */
  readonly data: JsonObject | null;
};
export type ResultBlock = {
  readonly type: "result";
  readonly id: string;
  readonly name: string;
  readonly result: Json;
  readonly isError: boolean;
};

export type UserBlock = TextBlock | PictureBlock;
export type AssistantBlock = TextBlock | ReasoningBlock | CallBlock;

/** A conversation in the strict order every server takes: results stand right behind their calls, the other roles alternate. */
export type Passage =
  | { readonly role: "user"; readonly blocks: readonly UserBlock[] }
  | { readonly role: "assistant"; readonly blocks: readonly AssistantBlock[]; readonly inLoop: boolean }
  | { readonly role: "results"; readonly blocks: readonly ResultBlock[] };

interface Growing {
  readonly role: Passage["role"];
  readonly blocks: (UserBlock | AssistantBlock | ResultBlock)[];
  readonly inLoop: boolean;
}

/** TN-17: what one result may take on the wire; tools bound theirs far below. */
const MAX_RESULT_BYTES = 256 * 1024;
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const NINE = /^[a-zA-Z0-9]{9}$/;

/**
 * The strict form of a stored conversation (FC-301 … FC-304): blank texts and other models' reasoning left out, neighbours joined,
 * results behind their calls, first and last a user's word. Nothing of it depends on later messages but pictures beyond the
 * server's number, so the beginning of two turns in a row is the same and stays in the provider's cache.
 */
export function strictConversation(
  messages: readonly ModelMessage[],
  form: Form,
  pictureRules: PictureRules,
): readonly Passage[] {
  const passages: Growing[] = [];
  const ids = createIds(form);
  const loopStart = loopStartOf(messages);
  const pictures = choosePictures(messages, form, pictureRules);
  let open = new Map<string, { readonly id: string; readonly name: string }>();
  let late: UserBlock[] = [];

  const add = (role: Growing["role"], blocks: Growing["blocks"], inLoop = false): void => {
    const last = passages.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else passages.push({ role, blocks: [...blocks], inLoop });
  };
  const close = (): void => {
    for (const { id, name } of open.values()) {
      add("results", [{ type: "result", id, name, result: { status: "interrupted" }, isError: true }]);
    }
    open = new Map();
    if (late.length > 0) add("user", late);
    late = [];
  };

  for (const [at, message] of messages.entries()) {
    if (message.role === "assistant") {
      const calls = message.parts.filter((part) => part.type === "tool_call");
      const blocks = message.parts.flatMap((part) => assistantBlock(part, form, ids));
      if (blocks.every((block) => block.type === "reasoning")) continue;
      close();
      add("assistant", blocks, at > loopStart);
      const made = blocks.filter((block) => block.type === "call");
      for (const [place, call] of calls.entries()) {
        const block = made[place];
        if (block !== undefined) open.set(call.callId, { id: block.id, name: block.name });
      }
    } else {
      for (const part of message.parts) {
        if (part.type === "tool_result") {
          const call = open.get(part.callId);
          open.delete(part.callId);
          if (call === undefined)
            late.push({ type: "text", text: strayResult(part.name, cutResult(part.result).text) });
          else add("results", [{ type: "result", ...call, result: bounded(part.result), isError: part.isError }]);
        } else late.push(...userBlock(part, pictures));
      }
      if (open.size === 0) close();
    }
  }
  close();
  if (passages[0]?.role !== "user") {
    passages.unshift({
      role: "user",
      blocks: [{ type: "text", text: passages.length === 0 ? emptyMessage : earlierLeftOut }],
      inLoop: false,
    });
  }
  if (passages.at(-1)?.role === "assistant") add("user", [{ type: "text", text: continueRequest }]);
  return passages as readonly Passage[];
}

/** The running tool loop begins behind the last user message that follows an answer; one steered in amid calls begins none. */
function loopStartOf(messages: readonly ModelMessage[]): number {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    if (messages[at]?.role !== "user") continue;
    const before = messages.slice(0, at).findLast(({ role }) => role !== "user");
    if (before === undefined) return at;
    if (before.role === "assistant" && !before.parts.some(({ type }) => type === "tool_call")) return at;
  }
  return -1;
}

function assistantBlock(part: ModelPart, form: Form, ids: Ids): AssistantBlock[] {
  switch (part.type) {
    case "text": {
      const text = clean(part.text);
      return text.trim() === "" ? [] : [{ type: "text", text }];
    }
    case "reasoning": {
      const own = ownData(part.providerData, form);
      return own === null ? [] : [{ type: "reasoning", text: part.text, data: own }];
    }
    case "tool_call": {
      const data = ownData(part.providerData, form);
      return [
        {
          type: "call",
          id: ids.next(part.callId, data),
          name: toolName(part.name),
          args: isJsonObject(part.args) ? part.args : { malformed_arguments: part.args },
          data,
        },
      ];
    }
    default:
      return [];
  }
}

function userBlock(part: ModelPart, pictures: ReadonlyMap<ModelPart, string | null>): UserBlock[] {
  if (part.type === "image") {
    const mime = pictures.get(part) ?? null;
    return mime === null
      ? [{ type: "text", text: pictureNotSent(part.mime, part.bytes.byteLength) }]
      : [{ type: "picture", mime, base64: Buffer.from(part.bytes).toString("base64") }];
  }
  if (part.type !== "text") return [];
  const text = clean(part.text);
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** What goes back to the very model that made it; rows of before makers were marked count as another's. */
function ownData(data: JsonObject | null, form: Form): JsonObject | null {
  if (data === null || data.maker !== form.maker) return null;
  const { maker: _maker, ...own } = data;
  return own;
}

function choosePictures(
  messages: readonly ModelMessage[],
  form: Form,
  rules: PictureRules,
): ReadonlyMap<ModelPart, string | null> {
  const chosen = new Map<ModelPart, string | null>();
  let room = form.quirks.pictures ? form.quirks.maxPictures : 0;
  for (const message of messages.toReversed()) {
    for (const part of message.parts.toReversed()) {
      if (part.type !== "image") continue;
      const type = room > 0 ? acceptedType(part.bytes, rules) : null;
      const refused =
        type !== null && form.refusedPictures.size > 0 && form.refusedPictures.has(pictureHash(part.bytes));
      chosen.set(part, refused ? null : type);
      if (type !== null && !refused) room -= 1;
    }
  }
  return chosen;
}

export function pictureHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

interface Ids {
  next(stored: string, own: JsonObject | null): string;
}

/** FC-303: an id goes back unchanged to the model that gave it, to others as nine letters and digits, which everybody takes. */
function createIds({ quirks }: Form): Ids {
  const used = new Set<string>();
  return {
    next(stored, own) {
      const keeps =
        own !== null
          ? quirks.callIds === "own" || NINE.test(stored)
          : quirks.callIds === "own" && PLAIN_ID.test(stored);
      let id = keeps && stored !== "" ? stored : shortId(stored);
      for (let again = 2; used.has(id); again += 1) id = shortId(`${stored}#${again}`);
      used.add(id);
      return id;
    },
  };
}

function shortId(stored: string): string {
  const number = BigInt(`0x${createHash("sha256").update(stored).digest("hex").slice(0, 24)}`);
  return number.toString(36).padStart(9, "0").slice(-9);
}

function toolName(name: string): string {
  if (NAME.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 63);
  return NAME.test(plain) ? plain : `_${plain}`;
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "");
}

function cutResult(result: Json): { readonly text: string; readonly truncated: boolean } {
  return cutMiddle(typeof result === "string" ? clean(result) : jsonText(result), MAX_RESULT_BYTES);
}

function bounded(result: Json): Json {
  const { text, truncated } = cutResult(result);
  if (truncated) return text;
  return typeof result === "string" ? text : result;
}

const LONE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** JSON without halves of surrogate pairs, which strict servers refuse; `JSON.stringify` writes exactly those as escapes. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.includes("\\ud") || text.includes("\\uD") ? text.replace(LONE, "$1\ufffd") : text;
}

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
