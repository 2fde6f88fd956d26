import type { RenderedPiece, SendOutcome } from "../core/delivery/delivery.ts";
import { findBreak } from "../core/text/cut.ts";

/** One way to say a piece. */
export interface SpokenForm {
  readonly text: string;
  /** In the platform's own form; otherwise plain words, which the adapter still has to escape. */
  readonly isRich: boolean;
  /** 0 for the whole or the first part; each further part is a message of its own, never an edit. */
  readonly part: number;
}

/**
 * Says a piece in the next smaller form when the platform refuses its content (FC-220): as it is, as plain text, and in two halves, so that
 * what cannot be said takes as little as possible with it. Each form is sent once. A half that is refused fails the delivery.
 */
export async function sendInForms(
  piece: RenderedPiece,
  send: (form: SpokenForm) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  let last: SendOutcome = { outcome: "sent", messageIds: [] };
  for (const forms of stages(piece)) {
    let refusal: SendOutcome | null = null;
    let messageIds: readonly string[] = [];
    for (const form of forms) {
      last = await send(form);
      if (last.outcome === "sent") messageIds = [...messageIds, ...last.messageIds];
      else if (last.outcome === "failed" && last.content === true) refusal = last;
      else return last;
    }
    if (refusal === null) return { ...last, ...(last.outcome === "sent" ? { messageIds } : {}) };
    last = refusal;
  }
  return last;
}

function* stages({ rich, plain }: RenderedPiece): Generator<readonly SpokenForm[]> {
  yield [{ text: rich, isRich: true, part: 0 }];
  yield [{ text: plain, isRich: false, part: 0 }];
  const [first, second] = halves(plain);
  if (second === "") return;
  yield [
    { text: first, isRich: false, part: 0 },
    { text: second, isRich: false, part: 1 },
  ];
}

function halves(text: string): readonly [string, string] {
  const { at } = findBreak(text, Math.ceil(text.length / 2));
  return [text.slice(0, at).trim(), text.slice(at).trim()];
}
