import type { Flow } from "./flow.ts";
import type { Point } from "./points.ts";
import type { Channel } from "./stage.ts";

export interface Case {
  readonly channel: Channel;
  readonly flow: Flow;
  readonly point: Point;
}

export interface Group {
  readonly channel: Channel;
  readonly flow: Flow;
  readonly points: readonly Point[];
}

/** A small generator of numbers in [0, 1) that depend on the seed alone. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  return all
    .map((one) => ({ one, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one);
}

/** How soon a group's n-th point of a kind is taken: a send, two steps, and now and then the model. */
const TURN: Readonly<Record<Point["kind"], (nth: number) => number>> = {
  send: (nth) => nth,
  step: (nth) => nth / 2,
  model: (nth) => 2 * nth + 1,
};

/** So many cases, spread over all flows and channels by the seed. The same seed on the same points takes the same cases. */
export function sampled(groups: readonly Group[], { most, seed }: { most: number; seed: number }): readonly Case[] {
  const random = numbersFrom(seed);
  const queues = shuffled(groups, random).map(({ channel, flow, points }) => {
    const seen = { send: 0, step: 0, model: 0 };
    const ranked = shuffled(points, random).map((point) => {
      const turn = TURN[point.kind](seen[point.kind]);
      seen[point.kind] += 1;
      return { channel, flow, point, turn };
    });
    return ranked.sort((a, b) => a.turn - b.turn);
  });
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const rounds = Array.from({ length: longest }, (_unused, at) => queues.flatMap((queue) => queue[at] ?? []));
  return rounds.flat().slice(0, most);
}
