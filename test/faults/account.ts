import type { Channel } from "../crash/stage.ts";
import { BEGINNING, SECOND } from "./echo-model.ts";
import { marksIn } from "./marks.ts";

/** One conversation at the end: what its person said, and what stands there. */
export interface TalkRecord {
  readonly channel: Channel;
  readonly name: string;
  /** The marks of what was said, in this order. */
  readonly said: readonly string[];
  /** The agent's messages, oldest first. */
  readonly reads: readonly string[];
  /**
   * Marks whose answer may stand there twice: Telegram had carried out a send and its answer did not come back (the labelled
   * case of docs/delivery-guarantee.md).
   */
  readonly mayDouble: ReadonlySet<string>;
  /** In the same case: a preview may stay half-written. */
  readonly mayLeavePreview: boolean;
  /** Whether the platform itself may have told of `second` before `first`, although it was said after it. */
  mayBeReversed(first: string, second: string): boolean;
}

export interface Account {
  readonly said: number;
  readonly answered: number;
  /** Each with where: what had to be read and is not. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Doubles in the labelled case. */
  readonly labelled: readonly string[];
  readonly misplaced: readonly string[];
  readonly disordered: readonly string[];
  /** Messages that answer nothing: left-over previews, sentences about failures. */
  readonly extra: readonly string[];
}

/** Accounts for every message: answered exactly once, whole, where it was asked and in order. */
export function accountFor(talks: readonly TalkRecord[]): Account {
  const accounts = talks.map(accountOf);
  return {
    said: accounts.reduce((sum, one) => sum + one.said, 0),
    answered: accounts.reduce((sum, one) => sum + one.answered, 0),
    lost: accounts.flatMap(({ lost }) => lost),
    doubled: accounts.flatMap(({ doubled }) => doubled),
    labelled: accounts.flatMap(({ labelled }) => labelled),
    misplaced: accounts.flatMap(({ misplaced }) => misplaced),
    disordered: accounts.flatMap(({ disordered }) => disordered),
    extra: accounts.flatMap(({ extra }) => extra),
  };
}

export function isClean({ lost, doubled, misplaced, disordered, extra }: Account): boolean {
  return [lost, doubled, misplaced, disordered, extra].every((list) => list.length === 0);
}

/** The faults of an account, one line each. */
export function complaints(account: Account): readonly string[] {
  const kinds = ["lost", "doubled", "misplaced", "disordered", "extra"] as const;
  return kinds.flatMap((kind) => account[kind].map((what) => `${kind}: ${what}`));
}

interface Part {
  readonly kind: "whole" | "first" | "second";
  readonly marks: readonly string[];
}

function accountOf(talk: TalkRecord): Account {
  const where = `${talk.channel} ${talk.name}`;
  const parts = talk.reads.flatMap(partsOf);
  const own = new Set(talk.said);
  const beginnings = new Map<string, number>();
  const seconds = new Map<string, number>();
  for (const { kind, marks } of parts) for (const mark of marks) count(kind === "second" ? seconds : beginnings, mark);
  const halves = new Set(parts.filter(({ kind }) => kind === "first").flatMap(({ marks }) => marks));
  const twice = [...beginnings, ...seconds].filter(([, times]) => times > 1).map(([mark]) => mark);
  const marks = [...new Set(twice)].filter((mark) => own.has(mark));
  const isLabelled = (mark: string): boolean => talk.mayDouble.has(mark);
  const leftOver = talk.reads.filter((text) => marksIn(text).length === 0);
  return {
    said: talk.said.length,
    answered: talk.said.filter((mark) => beginnings.has(mark)).length,
    lost: [
      ...talk.said.filter((mark) => !beginnings.has(mark)).map((mark) => `${mark} in ${where}`),
      ...[...halves].filter((mark) => !seconds.has(mark)).map((mark) => `second part of ${mark} in ${where}`),
    ],
    doubled: marks.filter((mark) => !isLabelled(mark)).map((mark) => `${mark} in ${where}`),
    labelled: marks.filter(isLabelled).map((mark) => `${mark} in ${where}`),
    misplaced: [...beginnings.keys()].filter((mark) => !own.has(mark)).map((mark) => `${mark} in ${where}`),
    disordered: inversions(talk, parts).map((pair) => `${pair} in ${where}`),
    extra: leftOver
      .filter((text) => !(text.startsWith(BEGINNING) && talk.mayLeavePreview))
      .map((text) => `${JSON.stringify(text.slice(0, 120))} in ${where}`),
  };
}

/** A page shows a long answer as one message. */
function partsOf(text: string): readonly Part[] {
  return text
    .split(new RegExp(`(?=${SECOND})`))
    .map((piece) => ({
      kind: piece.startsWith(SECOND)
        ? ("second" as const)
        : piece.startsWith("First part")
          ? ("first" as const)
          : ("whole" as const),
      marks: marksIn(piece),
    }))
    .filter(({ marks }) => marks.length > 0);
}

/** Neighbours in what was said whose answers stand in the other order, by their first appearance. */
function inversions({ said, mayBeReversed }: TalkRecord, parts: readonly Part[]): readonly string[] {
  const places = new Map<string, number>();
  const read = parts.filter(({ kind }) => kind !== "second").flatMap(({ marks }) => marks);
  for (const [at, mark] of read.entries()) if (!places.has(mark)) places.set(mark, at);
  const there = said.filter((mark) => places.has(mark));
  return there.flatMap((first, at) =>
    there
      .slice(at + 1)
      .filter((second) => (places.get(second) ?? 0) < (places.get(first) ?? 0) && !mayBeReversed(first, second))
      .map((second) => `${second} before ${first}`),
  );
}

function count(counts: Map<string, number>, mark: string): void {
  counts.set(mark, (counts.get(mark) ?? 0) + 1);
}
