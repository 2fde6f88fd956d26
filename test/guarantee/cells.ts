import { channels } from "../../adapters/index.ts";
import {
  cellName,
  FAULTS,
  type GuaranteeCell,
  type GuaranteeFault,
  type GuaranteeKind,
  KINDS,
} from "../../src/channel/guarantee.ts";
import type { Sending } from "../crash/breaks.ts";
import type { Flow } from "../crash/flow.ts";
import { FLOWS } from "../crash/flows.ts";
import { CHANNELS, type Channel } from "../crash/stage.ts";

/** One promise of the table that applies. */
export interface Cell {
  readonly channel: Channel;
  readonly kind: GuaranteeKind;
  readonly fault: GuaranteeFault;
  readonly holds: Exclude<GuaranteeCell["holds"], "does not apply">;
  readonly name: string;
}

/** How a kind of message is brought about, and which of the requests it takes is hit. */
export interface Scene {
  readonly flow: string;
  readonly sending: Exclude<Sending, "any">;
  /** So many of these requests go through before. */
  readonly after: number;
}

const SCENES: Readonly<Partial<Record<GuaranteeKind, Scene>>> = {
  text: { flow: "plain answer", sending: "message", after: 0 },
  // The one in the middle: one stands there already, and one waits behind it.
  pieces: { flow: "answer in several pieces", sending: "message", after: 1 },
  edit: { flow: "streamed answer", sending: "edit", after: 0 },
  file: { flow: "answer with its rest as a file", sending: "file", after: 0 },
  thread: { flow: "spawn in a thread", sending: "thread", after: 0 },
  command: { flow: "command", sending: "message", after: 0 },
  reaction: { flow: "plain answer", sending: "reaction", after: 0 },
  native: { flow: "native command", sending: "native", after: 0 },
  private: { flow: "private native command", sending: "private", after: 0 },
};

/** What is called by the platform's own means, and what its answer says; of the second only its asker reads the answer. */
export const CALLED: Readonly<Partial<Record<GuaranteeKind, { readonly command: string; readonly reads: RegExp }>>> = {
  native: { command: "status", reads: /Session id:/ },
  // For owners, so their answers are for the asker alone.
  private: { command: "pairing", reads: /No pending requests/ },
};

const guarantees = await Promise.all(
  channels.map(async ({ channel, guarantee }) => ({ channel, guarantee: await guarantee() })),
);

/** Every cell of every declaration that applies: what there must be a test for. */
export const CELLS: readonly Cell[] = guarantees.flatMap(({ channel, guarantee }) => {
  const known = CHANNELS.find((one) => one === channel);
  if (known === undefined) throw new Error(`test/crash/stage.ts has nothing for ${channel}`);
  return KINDS.flatMap((kind) =>
    faults().flatMap((fault) => {
      const cell = guarantee[kind][fault];
      if (cell.holds === "does not apply") return [];
      return [{ channel: known, kind, fault, holds: cell.holds, name: cellName(channel, kind, fault, cell) }];
    }),
  );
});

function faults(): readonly GuaranteeFault[] {
  return Object.keys(FAULTS) as GuaranteeFault[];
}

/** Throws where a declaration promises something that no scene brings about: a promise without a test. */
export function sceneOf({ channel, kind, name }: Cell): Scene & { readonly does: Flow } {
  const scene = SCENES[kind];
  const called = CALLED[kind];
  const does =
    called === undefined
      ? FLOWS.find((flow) => flow.name === scene?.flow && (flow.channels ?? CHANNELS).includes(channel))
      : callOf(called);
  if (scene === undefined || does === undefined) throw new Error(`no scene shows "${name}"`);
  // On Discord a file travels as a message, behind those of its answer.
  const after = kind === "file" && channel === "discord" ? 8 : scene.after;
  return { ...scene, after, does };
}

function callOf({ command, reads }: { readonly command: string; readonly reads: RegExp }): Flow {
  return {
    name: command,
    // Where nobody else reads along nothing is private, and a bot may not begin to write to somebody directly.
    where: "room",
    does: () => Promise.reject(new Error("it is called, not written")),
    reads: () => [reads],
  };
}
