import type { CaseResult, Channel } from "./case.ts";
import type { Point } from "./lane.ts";

/** Steps every message's way has, always covered. */
const NAMED = /^(accept-event|begin-turn|append-message|spawn|begin-preview|end-turn|claim-.*|settle-.*)$/;
/** Here the process also dies one turn of the event loop after the commit: the turn, the tool, the send is under way then. */
const GOES_ON = /^(accept-event|append-message|end-turn|claim-.*)$/;
const MOST_STEPS = 12;
const MOST_MODEL_CALLS = 3;
const MOST_SENDS = 2;

/** Where a message's way can be cut, taken from what happened on it when it was not. */
export function pointsOf(recorded: CaseResult, channel: Channel): readonly Point[] {
  const model = numbers(recorded.modelCalls, MOST_MODEL_CALLS).map((nth): Point => ({ kind: "model", nth }));
  const accepted = numbers(recorded.sends, MOST_SENDS).map((nth): Point => ({ kind: "accepted", nth }));
  const outside: readonly Point[] = channel === "telegram" ? [...model, ...accepted, { kind: "cut" }] : model;
  return [...sampled(afterSteps(recorded.steps)), ...underWay(recorded.steps), ...outside];
}

type StepPoint = Extract<Point, { kind: "step" }>;

/** After each committed step: its name and how often it had been committed before. */
function afterSteps(steps: readonly string[]): readonly StepPoint[] {
  const seen = new Map<string, number>();
  return steps.map((step) => {
    const nth = (seen.get(step) ?? 0) + 1;
    seen.set(step, nth);
    return { kind: "step", step, nth, later: false };
  });
}

function underWay(steps: readonly string[]): readonly StepPoint[] {
  return [...new Set(steps)]
    .filter((step) => GOES_ON.test(step))
    .map((step) => ({ kind: "step", step, nth: 1, later: true }));
}

/** All of them, or when there are too many the first of every named step, then an even choice of the others. */
function sampled(points: readonly StepPoint[]): readonly StepPoint[] {
  if (points.length <= MOST_STEPS) return points;
  const isNamed = ({ step, nth }: StepPoint): boolean => nth === 1 && NAMED.test(step);
  const others = points.filter((point) => !isNamed(point));
  const room = Math.max(0, MOST_STEPS - (points.length - others.length));
  const every = others.length / Math.max(1, room);
  const chosen = new Set(Array.from({ length: room }, (_unused, at) => others[Math.floor(at * every)]));
  return points.filter((point) => isNamed(point) || chosen.has(point));
}

function numbers(happened: number, most: number): readonly number[] {
  return Array.from({ length: Math.min(happened, most) }, (_unused, at) => at + 1);
}

export function titleOf(point: Point): string {
  switch (point.kind) {
    case "step":
      return `${point.later ? "while it goes on " : ""}after ${point.step} (${point.nth})`;
    case "model":
      return `while the model is called (${point.nth})`;
    case "accepted":
      return `when Telegram has accepted send ${point.nth} and not answered`;
    case "cut":
      return "when Telegram's answer to the send was cut";
  }
}
