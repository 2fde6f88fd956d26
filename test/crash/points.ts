import type { Way } from "./lane.ts";

/** Where the process ends. `nth` counts from 1. */
export type Point =
  /** At a step of the store: with its writes made and not committed, right after the commit, or when what follows has begun. */
  | { readonly kind: "step"; readonly step: string; readonly nth: number; readonly when: "before" | "after" | "later" }
  /** At a request to the model. */
  | { readonly kind: "model"; readonly nth: number }
  /**
   * At a request of the adapter: before the platform carries it out; when it has and has not answered; or when its answer
   * was cut, at the next step after that.
   */
  | {
      readonly kind: "send";
      readonly method: string;
      readonly nth: number;
      readonly when: "before" | "accepted" | "cut";
    };

const STEP = ["before", "after", "later"] as const;
const SEND = ["before", "accepted", "cut"] as const;

/** Every point at which a message's way can be cut, taken from what happened on it when it was not. */
export function pointsOf({ steps, sends, modelCalls }: Way): readonly Point[] {
  return [
    ...counted(steps).flatMap(({ name, nth }) => STEP.map((when): Point => ({ kind: "step", step: name, nth, when }))),
    ...Array.from({ length: modelCalls }, (_unused, at): Point => ({ kind: "model", nth: at + 1 })),
    ...counted(sends).flatMap(({ name, nth }) =>
      SEND.map((when): Point => ({ kind: "send", method: name, nth, when })),
    ),
  ];
}

/** Each name, and how often it has come so far. */
function counted(names: readonly string[]): readonly { readonly name: string; readonly nth: number }[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return { name, nth };
  });
}

const TITLE = {
  before: "before",
  after: "after",
  later: "while it goes on after",
  accepted: "when the platform has carried out, and not answered,",
  cut: "when the answer was cut of",
} as const;

export function titleOf(point: Point): string {
  switch (point.kind) {
    case "step":
      return `${TITLE[point.when]} ${point.step} (${point.nth})`;
    case "model":
      return `while the model is called (${point.nth})`;
    case "send":
      return `${TITLE[point.when]} ${point.method} (${point.nth})`;
  }
}
