import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, sqliteFiles } from "../../../src/store/dialect/sqlite.ts";
import { lockStore } from "../../../src/store/dialect/store-lock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { silentLog } from "../../support/test-store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "swprivate-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modes = () =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

describe("the files of a store", () => {
  it("FC-410: every file of a store in a folder that others may read is private, also one that was not", async () => {
    const file = join(folder, "switchyard.db");
    for (const old of ["switchyard.db", "switchyard.db.lock", "switchyard.db.pid"]) {
      writeFileSync(join(folder, old), "");
      chmodSync(join(folder, old), 0o644);
    }
    const before = process.umask(0);
    try {
      const lock = lockStore(file);
      const store = await openSqliteStore({ file, clock: new FakeClock(), log: silentLog });
      await sqliteFiles.backup(file, join(folder, "copy.db"));
      const found = modes();
      expect(
        Object.keys(found).filter((name) => /-wal$|-shm$|before-migration|copy/.test(name)).length,
      ).toBeGreaterThan(2);
      expect(new Set(Object.values(found)), JSON.stringify(found)).toEqual(new Set(["600"]));
      await store.close();
      lock.release();
    } finally {
      process.umask(before);
    }
  });

  it("FC-410, OP-5: what stands in place of the owner's number neither blocks the start nor is repeated", () => {
    const file = join(folder, "switchyard.db");
    const lock = lockStore(file);
    const owner = `${file}.pid`;
    expect(() => lockStore(file)).toThrow(String(process.pid));
    writeFileSync(owner, `${"9".repeat(40)}\u001b[2J`);
    expect(() => lockStore(file)).not.toThrow(/\u001b|9999/);
    rmSync(owner);
    execFileSync("mkfifo", [owner]);
    expect(() => lockStore(file)).toThrow(/.+/);
    rmSync(owner);
    lock.release();
  });
});
