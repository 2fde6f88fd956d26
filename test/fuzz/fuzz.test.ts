import { describe, expect, it } from "vitest";
import { fuzzEvents } from "./events.ts";
import { INPUT_FUZZES, type InputKind } from "./kinds.ts";

/** A small part of `npm run fuzz`, the same in every run. */
const SEED = 20261130;
const EVENTS = 150;
const INPUTS: Readonly<Record<InputKind, number>> = { config: 60, cli: 60, http: 40, text: 300, models: 300, mcp: 100 };

describe("hostile input", () => {
  it.each(["discord", "slack", "telegram"] as const)(
    "FC-405: mutated events of %s end nothing and mute no chat",
    { timeout: 240_000 },
    async (platform) => {
      const { deaths, muted, blocks } = await fuzzEvents({ platform, seed: SEED, events: EVENTS });
      expect({ deaths, muted, blocks }).toEqual({ deaths: [], muted: [], blocks: [] });
    },
  );

  it.each(Object.entries(INPUTS))(
    "FC-405: mangled input of the kind %s is answered or refused in words",
    { timeout: 120_000 },
    async (kind, inputs) => {
      const { faults } = await INPUT_FUZZES[kind as InputKind](SEED, inputs);
      expect(faults).toEqual([]);
    },
  );
});
