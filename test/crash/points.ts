import type { Channel } from "./case.ts";
import type { Point } from "./lane.ts";

/** Points outside of the store, by channel. */
export const OUTSIDE: Readonly<Record<Channel, readonly Point[]>> = {
  telegram: [
    { kind: "model", nth: 1 },
    { kind: "model", nth: 2 },
    { kind: "accepted", nth: 1 },
    { kind: "accepted", nth: 2 },
    { kind: "cut" },
  ],
  web: [
    { kind: "model", nth: 1 },
    { kind: "model", nth: 2 },
  ],
};

/** Steps every message's way has, always covered; the tool call itself is one turn of the event loop after its message is stored. */
const NAMED = /^(accept-event|begin-turn|append-message|spawn|begin-preview|end-turn|claim-.*|settle-.*)$/;
const MOST_STEPS = 12;

/** After each committed step: its name and how often it had been committed before. */
export function pointsOf(steps: readonly string[]): readonly Point[] {
  const seen = new Map<string, number>();
  return steps.flatMap((step): readonly Point[] => {
    const nth = (seen.get(step) ?? 0) + 1;
    seen.set(step, nth);
    const point = { kind: "step", step, nth, later: false } as const;
    return step === "append-message" && nth === 1 ? [point, { ...point, later: true }] : [point];
  });
}

/** All of them, or when there are too many the first of every name, then an even choice of the others. */
export function sampled(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_STEPS) return points;
  const isNamed = (point: Point): boolean => point.kind === "step" && point.nth === 1 && NAMED.test(point.step);
  const named = points.filter(isNamed);
  const others = points.filter((point) => !isNamed(point));
  const room = Math.max(0, MOST_STEPS - named.length);
  const every = others.length / Math.max(1, room);
  const chosen = new Set(Array.from({ length: room }, (_unused, at) => others[Math.floor(at * every)]));
  return points.filter((point) => isNamed(point) || chosen.has(point));
}

export function titleOf(point: Point): string {
  switch (point.kind) {
    case "step":
      return `${point.later ? "just " : ""}after step ${point.step} (${point.nth})`;
    case "model":
      return `while the model is called (${point.nth})`;
    case "accepted":
      return `after the platform accepted send ${point.nth}, before it answered`;
    case "cut":
      return "after the platform accepted the send and cut its answer";
  }
}
