import {
  answer,
  type ChatRequest,
  delay,
  type ModelReply,
  messageText,
  text,
  toolCall,
} from "../support/emulators/model/index.ts";
import { chooseCall } from "./choices.ts";
import { type Random, random } from "./random.ts";

const MAX_ROUNDS = 4;
const BROKEN = { kind: "http", status: 400, headers: { "content-type": "application/json" }, body: "{}" } as const;

/** A model that calls tools at random by seed, the same way whenever it is asked the same. */
export interface TalkativeModel {
  readonly script: (request: ChatRequest) => Promise<ModelReply>;
  /** Calls asked for so far. */
  readonly calls: number;
  /** Every session that asked so far. */
  readonly sessions: ReadonlySet<string>;
}

export interface ModelWatch {
  /** Told of every request before it is answered. */
  asked(request: ChatRequest, session: string, isChild: boolean): void;
}

/** It asks for `calls` calls in all; then it only talks, so that what is open comes to its end. */
export function talkativeModel(seed: number, calls: number, watch: ModelWatch): TalkativeModel {
  const state = { calls: 0 };
  const sessions = new Set<string>();
  const heard: string[] = [];
  const reply = (request: ChatRequest): ModelReply => {
    const system = messageText(request.messages[0] ?? { role: "system", content: "" });
    const own = /Your session is (\S+)\.$/m.exec(system)?.[1] ?? "";
    watch.asked(request, own, system.startsWith("You are a sub-agent."));
    if (!sessions.has(own)) {
      sessions.add(own);
      heard.push(own);
    }
    const asked = readRequest(request);
    const dice = random(seed, own, request.messages.length, asked.input);
    const pause = delay(dice.below(30));
    const talk = talkReply(dice, asked.input);
    if (talk !== null) return answer(pause, text(talk));
    if (dice.chance(0.01)) return BROKEN;
    const more = asked.rounds < MAX_ROUNDS && dice.chance(asked.rounds === 0 ? 0.85 : 0.6);
    if (state.calls >= calls || !more) return answer(pause, text(finalText(dice, own)));
    const around = { own, sessions: heard, children: asked.children };
    const offered = request.tools.map((tool) => tool.function.name);
    const chosen = Array.from({ length: dice.chance(0.25) ? 2 : 1 }, () => chooseCall(dice, around, offered));
    state.calls += chosen.length;
    return answer(pause, ...chosen.map(({ tool, args }) => toolCall(tool, args, { fragments: 1 })));
  };
  return {
    script: async (request) => reply(request),
    get calls() {
      return state.calls;
    },
    sessions,
  };
}

interface AskedNow {
  readonly input: string;
  /** Tool results since the last input. */
  readonly rounds: number;
  readonly children: readonly string[];
}

function readRequest({ messages }: ChatRequest): AskedNow {
  const at = messages.findLastIndex((message) => message.role === "user");
  const last = messages[at];
  const children = messages.flatMap((message) =>
    message.role === "tool" ? [...messageText(message).matchAll(/"childSessionKey":"([^"]+)"/g)] : [],
  );
  return {
    input: last === undefined ? "" : messageText(last),
    rounds: messages.slice(at).filter((message) => message.role === "assistant").length,
    children: [...new Set(children.map(([, key]) => key ?? ""))],
  };
}

/** The turns of an exchange are words only; null: another kind of turn. */
function talkReply(dice: Random, input: string): string | null {
  if (/\] \[Reply-back \d+\/\d+, run /.test(input)) return dice.chance(0.3) ? "REPLY_SKIP" : "and what else?";
  if (/\] \[Announce, run /.test(input)) return dice.chance(0.6) ? "ANNOUNCE_SKIP" : "We talked.";
  return null;
}

function finalText(dice: Random, own: string): string {
  const kind = dice.below(10);
  if (kind === 0) return "NO_REPLY";
  return `The answer of ${own} is work number ${dice.below(1_000)}.`;
}
