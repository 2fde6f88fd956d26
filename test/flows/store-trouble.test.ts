import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { storeFull } from "../../src/core/texts/store/outcomes.ts";
import { answer, gate, lastText, reasoning, text } from "../support/emulators/model/index.ts";
import { afterTest, closeScenesAfterEach, startScene } from "../support/program-scene.ts";
import { mountDisk, whyNoDisk } from "../support/small-disk.ts";

closeScenesAfterEach();

const reason = whyNoDisk();

interface Health {
  readonly code: number;
  readonly store: { readonly ok: boolean; readonly error: string | null };
}

async function health(url: string): Promise<Health> {
  const response = await fetch(`${url}/healthz`);
  const { store } = (await response.json()) as Pick<Health, "store">;
  return { code: response.status, store };
}

async function healthy(url: string): Promise<Health> {
  for (const deadline = Date.now() + 10_000; ; await sleep(100)) {
    const found = await health(url);
    if (found.code === 200 || Date.now() > deadline) return found;
  }
}

test.skipIf(reason !== null)(
  `OP-10: a full disk loses nothing that was acknowledged, says what to do, and work continues without a restart${reason === null ? "" : ` (no disk can be mounted here: ${reason})`}`,
  { timeout: 120_000 },
  async () => {
    const disk = mountDisk(12);
    afterTest(async () => disk.unmount());
    const thinking = gate();
    const at = await startScene({
      store: `${disk.folder}/switchyard.db`,
      script: (request) => answer(thinking.step, text(`heard ${lastText(request, "user").split("\n").at(-1)}`)),
    });
    const chat = at.ann.dm(at.bot);
    const { url } = at.program;
    chat.says("before");
    await at.model.waitForRequest(1);
    await at.telegram.caughtUp(at.bot);

    disk.fill();
    const during = Array.from({ length: 20 }, (_, index) => `during-${index}`);
    for (const words of during) chat.says(words);
    thinking.open();

    const said = await at.program.logged((line) => line.code === "store_full");
    expect(said.msg).toBe(storeFull(`${disk.folder}/switchyard.db`));
    await at.program.logged((line) => line.account === "telegram/default" && line.state === "degraded");
    expect(await health(url)).toEqual({ code: 503, store: { ok: false, error: said.msg } });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(at.bot.pendingUpdates).toBe(during.length);
    expect(at.shown()).toEqual([]);

    disk.free();
    await at.answers((texts) => texts.some((words) => words.endsWith("during-19")));
    await at.telegram.caughtUp(at.bot);
    expect(await healthy(url)).toEqual({ code: 200, store: { ok: true, error: null } });
    expect(at.shown()[0]).toBe("heard before");
    const read =
      at.model.requests
        .at(-1)
        ?.messages.map((message) => String(message.content))
        .join("\n") ?? "";
    for (const words of ["before", ...during]) expect(read.match(new RegExp(`^${words}$`, "gm"))).toHaveLength(1);
    expect(at.program.logs.filter((line) => line.msg === "the store can be used again")).toHaveLength(1);

    // Small steps still fit, the answer does not: the turn may not begin again and again, or it would be given up (TN-2).
    at.model.script(() => answer(reasoning("deep ".repeat(400_000)), text("thought about it")));
    const asked = at.model.requests.length;
    const known = at.program.logs.length;
    disk.fill(600 * 1024);
    chat.says("a long one");
    await at.model.waitForRequest(asked + 1);
    await at.program.logged((line) => line.code === "store_full" && at.program.logs.indexOf(line) >= known);
    expect((await health(url)).code).toBe(503);
    await sleep(4_000);
    disk.free();
    await at.answers((texts) => texts.at(-1) === "thought about it");
    expect(at.model.requests).toHaveLength(asked + 1);
    expect(await healthy(url)).toMatchObject({ code: 200 });
    expect(await at.program.stop()).toBe(0);
  },
);
