import { setTimeout as sleep } from "node:timers/promises";
import type { ChatRequest } from "../support/emulators/model/index.ts";
import { LIMITS } from "./policy.ts";
import type { ModelWatch } from "./talkative-model.ts";

/** A cut connection is noticed some time after what follows it; an overlap counts when it lasts longer. */
const LASTS_MS = 15;

interface Open {
  readonly session: string;
  readonly isChild: boolean;
}

export interface WireWatch extends ModelWatch {
  /** What was seen that must not be, one line each. */
  readonly faults: readonly string[];
  /** The most model calls at once. */
  readonly peak: number;
  /** Model calls under way now. */
  readonly open: number;
}

/** Sees at the model's end what no row shows: two turns of one session at work at once, or more turns than there are slots (TN-1). */
export function watchWire(): WireWatch {
  const open = new Set<Open>();
  const faults: string[] = [];
  const state = { peak: 0 };

  const judge = async (own: Open): Promise<void> => {
    const before = [...open];
    await sleep(LASTS_MS);
    if (!open.has(own)) return;
    const together = before.filter((one) => open.has(one));
    const same = together.filter((one) => one.session === own.session).length;
    if (same > 1) faults.push(`wire-one-turn: ${same} model calls of session ${own.session} at once`);
    const alike = together.filter((one) => one.isChild === own.isChild).length;
    const slots = own.isChild ? LIMITS.childTurns : LIMITS.turns;
    if (alike > slots)
      faults.push(`wire-slots: ${alike} ${own.isChild ? "sub-agents" : "sessions"} at work, there are ${slots} slots`);
  };

  return {
    faults,
    get open() {
      return open.size;
    },
    get peak() {
      return state.peak;
    },
    asked(request: ChatRequest, session, isChild) {
      if (session === "")
        faults.push(`wire-session: a request names no session: ${JSON.stringify(request.messages[0])}`);
      const own = { session, isChild };
      open.add(own);
      state.peak = Math.max(state.peak, open.size);
      void request.ended.then(() => open.delete(own));
      void judge(own);
    },
  };
}
