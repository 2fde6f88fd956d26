import { expect, test } from "vitest";
import type { Packet } from "../../../adapters/discord/gateway/packets.ts";
import { hearMissedDirect } from "../../../adapters/discord/missed/missed-direct.ts";
import { silentLog } from "../../support/test-store.ts";

const ready = (id: string, url: string): Packet =>
  ({ op: 0, s: 1, t: "READY", d: { session_id: id, resume_gateway_url: url } }) as unknown as Packet;

test("IN-14: a session that names no address ends neither the process nor the keeping of the next one", async () => {
  const kept = Promise.withResolvers<string>();
  const state = {
    get: async () => null,
    set: async (_name: string, value: string) => {
      if (value.includes('"later"')) kept.resolve(value);
    },
  };
  const stop = new AbortController();
  const missed = hearMissedDirect({ host: { state, log: silentLog }, token: "a.b.c", signal: stop.signal });
  missed.note(ready("first", "no address"), 0);
  const begun = Promise.withResolvers<void>();
  await missed.begin({ take: () => undefined, stored: async () => begun.resolve() });
  missed.note(ready("later", "ws://127.0.0.1:1"), 0);
  await begun.promise;
  expect(JSON.parse(await kept.promise)).toMatchObject({ id: "later" });
  stop.abort();
  missed.end();
});
