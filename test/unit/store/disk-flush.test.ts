import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../../src/store/dialect/sqlite.ts";
import { DiskFlush } from "../../../src/store/dialect/sqlite-driver.ts";
import { probeStore, removeProbe } from "../../../src/store/steps/upkeep/probe-store.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { silentLog } from "../../support/test-store.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-flush-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("OP-10: flushing to the disk beside the process", () => {
  test("OP-10: who asks during a flush shares the next one, and `asked` waits for both", async () => {
    const file = join(folder, "wal");
    await writeFile(file, "x");
    const disk = new DiskFlush(file);
    const ended: string[] = [];
    const first = disk.flush().then(() => void ended.push("first"));
    const second = disk.flush();
    expect(disk.flush()).toBe(second);
    await disk.asked();
    await Promise.all([first, second.then(() => void ended.push("second"))]);
    expect(ended).toEqual(["first", "second"]);
    await disk.flush();
    await disk.close();
  });

  test("OP-10: after a failed flush every later one fails, since nobody knows what was kept", async () => {
    const file = join(folder, "wal");
    const disk = new DiskFlush(file);
    await expect(disk.flush()).rejects.toThrow("ENOENT");
    await writeFile(file, "x");
    await expect(disk.flush()).rejects.toThrow("ENOENT");
    await expect(disk.asked()).rejects.toThrow("ENOENT");
  });

  test("OP-10: a store whose flush failed acknowledges nothing and takes no more steps", async () => {
    const file = join(folder, "switchyard.db");
    const store = await openSqliteStore({ file, clock: new FakeClock(), log: silentLog });
    await rm(`${file}-wal`);
    const refused = { code: "store_unavailable", message: expect.stringContaining("start Switchyard again") };
    await expect(store.step(probeStore, undefined)).rejects.toMatchObject(refused);
    await expect(store.step(removeProbe, undefined)).rejects.toMatchObject(refused);
    await expect(store.onDisk()).rejects.toMatchObject(refused);
    await store.close().catch(() => undefined);
  });
});
