import { setTimeout as sleep } from "node:timers/promises";
import { random } from "../concurrency/random.ts";
import {
  answer,
  type ChatRequest,
  call,
  delay,
  type ModelReply,
  messageText,
  say,
  text,
} from "../support/emulators/model/index.ts";
import { marksIn } from "./marks.ts";

/** What a message asks the model to do, by its first word. */
export const DOINGS = ["plain", "stream", "tool", "pieces", "chunks"] as const;
export type Doing = (typeof DOINGS)[number];

/** A streamed answer begins with this; a message that says no more than that is a preview that was left behind. */
export const BEGINNING = "Let me see";
/** More than half of what fits into one message: on Discord the first, elsewhere the second. */
const LONG = { chunks: 1_200, pieces: 2_500 } as const;
/** How the second part of a long answer begins. */
export const SECOND = "Second part";
const THINKS_MS = 60;

/**
 * Answers every message by its mark: one answer names all that no answer before it names. A function of the request alone, because
 * after a crash the same question comes again.
 */
export async function echoReply(request: ChatRequest): Promise<ModelReply> {
  const said = request.messages.filter(({ role }) => role === "assistant").map(messageText);
  const answered = new Set(said.flatMap(marksIn));
  const asked = request.messages.filter(({ role }) => role === "user").map(messageText);
  const open = [...new Set(asked.flatMap(marksIn))].filter((mark) => !answered.has(mark));
  const last = open.at(-1) ?? "";
  const doing = doingOf(asked, last);
  const isAfterTool = request.messages.at(-1)?.role === "tool";
  await sleep(random(last, "thinks").below(THINKS_MS));
  const names = open.map((mark) => `${mark}.`).join(" ");
  switch (doing) {
    case "tool":
      return isAfterTool ? say(`Looked for ${names}`) : call("session_status", {});
    case "stream":
      return answer(text(`${BEGINNING}… `), delay(250), text(`here is ${names}`));
    case "pieces":
    case "chunks":
      return say(
        `First part for ${names} ${"x".repeat(LONG[doing])}\n\n${SECOND} of ${names} ${"y".repeat(LONG[doing])}`,
      );
    case "plain":
      return say(`Answer to ${names}`);
  }
}

function doingOf(asked: readonly string[], mark: string): Doing {
  const line = asked.findLast((one) => one.includes(`${mark}.`)) ?? "";
  const verb = new RegExp(`(\\w+) ${mark}\\.`).exec(line)?.[1];
  return DOINGS.find((one) => one === verb) ?? "plain";
}
