import { afterEach, describe, expect, test } from "vitest";
import { StoreError } from "../../src/core/errors.ts";
import type { AdapterHarness } from "./adapter.ts";

/** An account on a platform that sends events over a network. */
export interface IntakeHarness extends AdapterHarness {
  /** The platform sends an event that is not shaped as its API promises, so the mapping throws. */
  sendsMalformed(): void;
}

const FULL = new StoreError("store_full", "the disk is full", { retryable: true });
const DAMAGED = new StoreError("store_corrupt", "the file is damaged", { retryable: false });

/** What every platform's intake does alike (IN-3), with the real client library against the platform's local server. */
export function intakeContract(name: string, make: () => Promise<IntakeHarness>): void {
  describe(`${name}'s intake`, () => {
    const open: IntakeHarness[] = [];
    afterEach(async () => {
      for (const harness of open.splice(0)) {
        await harness.adapter.stop();
        await harness[Symbol.asyncDispose]();
      }
    });

    async function started(): Promise<IntakeHarness> {
      const harness = await make();
      open.push(harness);
      await harness.adapter.start(harness.host);
      await harness.host.until(() => harness.host.health === "ready", "the state ready");
      return harness;
    }

    test("IN-3: store trouble that passes is waited out, in order, without acknowledging or parking anything", async () => {
      const { host, personSays } = await started();
      host.trouble = () => FULL;
      const first = await personSays("first");
      const second = await personSays("second");
      await host.until(() => host.offered.length > 1 && host.health === "degraded", "a second try");
      expect([first.acknowledged(), second.acknowledged(), host.parked]).toEqual([false, false, []]);
      host.trouble = () => null;
      await host.until(() => host.accepted.length === 2 && host.health === "ready", "both messages, and ready");
      expect(host.accepted.map(({ text }) => text)).toEqual(["first", "second"]);
      await second.settled;
    });

    test("IN-3: store trouble that does not pass parks the event with its reason, and later ones go on", async () => {
      const { host, personSays } = await started();
      host.trouble = ({ text }) => (text === "lost" ? DAMAGED : null);
      const lost = await personSays("lost");
      const after = await personSays("after");
      await host.until(() => host.accepted.length === 1, "the later message");
      await Promise.all([lost.settled, after.settled]);
      expect(host.accepted.map(({ text }) => text)).toEqual(["after"]);
      expect(host.offered.filter(({ text }) => text === "lost")).toHaveLength(3);
      expect(host.parked).toMatchObject([{ error: DAMAGED.message, raw: expect.stringContaining("lost") }]);
    });

    test("IN-3: an event the mapping throws on is parked with its reason, and later ones go on", async () => {
      const { host, personSays, sendsMalformed } = await started();
      sendsMalformed();
      await (await personSays("after")).settled;
      await host.until(() => host.parked.length === 1, "the parked event");
      expect(host.accepted.map(({ text }) => text)).toEqual(["after"]);
      expect(host.parked).toMatchObject([{ error: expect.stringContaining("malformed at") }]);
    });

    test("IN-3: an event that cannot even be parked is not acknowledged before it is", async () => {
      const { host, personSays } = await started();
      await (await personSays("before")).settled;
      host.trouble = () => DAMAGED;
      host.parkTrouble = DAMAGED;
      const said = await personSays("nowhere");
      await host.until(() => host.health === "degraded", "the state degraded");
      expect([said.acknowledged(), host.parked]).toEqual([false, []]);
      host.parkTrouble = null;
      await host.until(() => host.parked.length === 1 && host.health === "ready", "the parked event, and ready");
      await said.settled;
    });
  });
}
