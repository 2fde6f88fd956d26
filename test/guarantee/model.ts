import { replyTo } from "../crash/model.ts";
import {
  answer,
  type ChatRequest,
  type Gate,
  gate,
  type ModelReply,
  messageText,
  text,
} from "../support/emulators/model/index.ts";

/** A streamed answer stops in its middle until its gate is opened: when people see what there is of it. */
export const BEGINNING = "Answer in";

/** The model of the crash suite, except that its streamed answers wait for the people who look at them. */
export class WatchedModel {
  readonly #gates = new Map<string, Gate>();

  gateOf(mark: string): Gate {
    const known = this.#gates.get(mark) ?? gate();
    this.#gates.set(mark, known);
    return known;
  }

  reply(request: ChatRequest): ModelReply {
    const asked = request.messages.findLast((message) => message.role === "user");
    const [, mark] = /\bstream (m\w+)$/.exec(asked === undefined ? "" : messageText(asked).trim()) ?? [];
    if (mark === undefined) return replyTo(request);
    return answer(text(`${BEGINNING} `), this.gateOf(mark).step, text(`pieces to ${mark}.`));
  }
}
