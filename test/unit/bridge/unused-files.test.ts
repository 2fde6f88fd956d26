import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeUnusedFiles } from "../../../src/bridge/maintenance.ts";
import { createMediaStore } from "../../../src/bridge/media-store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { ToolScene, user } from "../tools/tool-scene.ts";

const OWN = "agent:main:discord:channel:1";

describeOnEveryStore("unused attachments", (open) => {
  async function prepare() {
    const scene = new ToolScene(await open());
    await scene.session(OWN);
    const dataDir = await mkdtemp(join(tmpdir(), "switchyard-media-"));
    const media = createMediaStore({ dataDir, maxBytes: 1_000_000 });
    const folder = join(dataDir, "media");
    const keep = async (text: string) =>
      media.put(new TextEncoder().encode(text), { name: "a.txt", mime: "text/plain" });
    const age = (name: string) => utimes(join(folder, name), 0, 0);
    const clean = () =>
      removeUnusedFiles({ store: scene.store, dataDir, now: Date.now(), signal: new AbortController().signal });
    const names = async () => (await readdir(folder)).sort();
    return { scene, dataDir, folder, keep, age, clean, names, done: () => rm(dataDir, { recursive: true }) };
  }

  it("OP-10, IN-12: go with the maintenance; what a row refers to stays, and what is a day young, and no broken file is left", async () => {
    const at = await prepare();
    expect(await at.clean().catch(String)).toBe(0);
    const [used, unused, young] = [await at.keep("used"), await at.keep("unused"), await at.keep("young")];
    const message = { ...user("look"), parts: [{ type: "attachment", attachment: used } as const] };
    await at.scene.write(OWN, [message, ...Array.from({ length: 510 }, () => user("x"))]);
    await writeFile(join(at.folder, ".half"), "x");
    for (const name of [used.sha256, unused.sha256, ".half"]) await at.age(name);
    expect(await at.clean()).toBe(2);
    expect(await at.names()).toEqual([used.sha256, young.sha256].sort());
    await at.done();
  });

  it("IN-12: the same bytes kept again make the file young, so that a row still to be written finds it", async () => {
    const at = await prepare();
    const { sha256 } = await at.keep("again");
    await at.age(sha256);
    await at.keep("again");
    expect(await at.clean()).toBe(0);
    expect(await at.names()).toEqual([sha256]);
    await at.done();
  });
});
