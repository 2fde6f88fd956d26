import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, test } from "vitest";
import { createMediaStore } from "../../../src/bridge/media-store.ts";
import { checkStore } from "../../../src/cli/doctor/machine.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { mainSessionKey } from "../../../src/core/session/session-key.ts";
import {
  lockForeign,
  storeBusy,
  storeCorrupt,
  storeInUse,
  storeMissing,
  storeNewer,
  storeReadOnly,
  storeReplaced,
} from "../../../src/core/texts/store/outcomes.ts";
import { openSqliteStore, sqliteFiles } from "../../../src/store/dialect/sqlite.ts";
import { lockStore } from "../../../src/store/dialect/store-lock.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import { defineRead, defineStep, type Store } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { mountDisk, whyNoDisk } from "../../support/small-disk.ts";
import { testSettings } from "../../support/test-settings.ts";
import { silentLog } from "../../support/test-store.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "st-"));
  closing.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function open(file: string): Promise<Store> {
  const store = await openSqliteStore({ file, clock: new FakeClock(), log: silentLog });
  closing.push(() => store.close());
  return store;
}

/** What opening or using it is refused with. */
async function refusal(attempt: () => unknown): Promise<Pick<StoreError, "code" | "message" | "retryable">> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, message, retryable } = error;
    return { code, message, retryable };
  }
  throw new Error("it was not refused");
}

const label = defineStep("label", "full", (context, text: string) =>
  ensureSession(context, {
    key: mainSessionKey(text),
    agentId: text,
    channel: null,
    originRoute: null,
    label: text,
  }),
);
const labels = defineRead("labels", async (db) =>
  (await db.selectFrom("sessions").select("label").orderBy("label").execute()).map((row) => row.label),
);

describe("OP-10: a store that cannot be opened says which file, what is wrong and what to do", () => {
  test("a missing folder is made, for its user only", async () => {
    const file = join(folder(), "a/b/switchyard.db");
    await open(file);
    expect(existsSync(file)).toBe(true);
  });

  test("a folder that is a file", async () => {
    const at = join(folder(), "data");
    writeFileSync(at, "");
    const file = join(at, "switchyard.db");
    expect(await refusal(() => open(file))).toEqual({
      code: "store_missing",
      message: storeMissing(file),
      retryable: false,
    });
  });

  test("a file that is a folder", async () => {
    const file = folder();
    expect(await refusal(() => open(file))).toMatchObject({ code: "store_missing" });
  });

  test("a file that is something else is left as it is", async () => {
    const file = join(folder(), "switchyard.db");
    writeFileSync(file, "Dear diary, ".repeat(1_000));
    expect(await refusal(() => open(file))).toEqual({
      code: "store_corrupt",
      message: storeCorrupt(file),
      retryable: false,
    });
    expect(readFileSync(file, "utf8")).toBe("Dear diary, ".repeat(1_000));
  });

  test("another program's SQLite file is refused and left unchanged", async () => {
    const file = join(folder(), "switchyard.db");
    const other = new Database(file);
    other.exec("create table sessions (id integer)");
    other.close();
    expect(await refusal(() => open(file))).toMatchObject({ code: "store_foreign", retryable: false });
    expect(sqliteFiles.faults(file)).toEqual([]);
  });

  test("a store of a newer Switchyard is refused and not changed", async () => {
    const file = join(folder(), "switchyard.db");
    await (await open(file)).close();
    const raw = new Database(file);
    raw.exec("update schema_version set version = 99");
    raw.close();
    expect(await refusal(() => open(file))).toMatchObject({
      code: "store_newer",
      message: storeNewer(file, 99, 4),
    });
    const after = new Database(file, { readonly: true });
    expect(after.pragma("user_version", { simple: true })).toBe(0);
    expect(after.prepare("select version from schema_version").pluck().get()).toBe(99);
    after.close();
    expect(readdirSync(join(file, "..")).filter((name) => name.includes("before-migration"))).toEqual([]);
  });

  test("a read-only look at a store that is not there", async () => {
    const file = join(folder(), "switchyard.db");
    expect(await refusal(() => sqliteFiles.openForReading(file))).toMatchObject({ code: "store_missing" });
  });
});

test("OP-10: another program's lock fails one step, and the next one succeeds", {
  timeout: 20_000,
}, async () => {
  const file = join(folder(), "switchyard.db");
  const store = await open(file);
  const other = new Database(file);
  other.exec("begin immediate");
  expect(await refusal(() => store.step(label, "a"))).toEqual({
    code: "store_busy",
    message: storeBusy(file),
    retryable: true,
  });
  other.exec("rollback");
  other.close();
  await store.step(label, "b");
  expect(await store.read(labels, undefined)).toEqual(["b"]);
});

describe("FC-321: the store's file is removed or replaced while it is open", () => {
  const refused = (file: string) => ({ code: "store_missing", message: storeReplaced(file), retryable: true });

  test.each([
    ["removed", (file: string) => rmSync(file)],
    ["moved away", (file: string) => renameSync(file, `${file}.away`)],
    [
      "replaced by a copy",
      (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ])("OP-10: %s: nothing is stored, and so nothing acknowledged, from then on", async (_how, change) => {
    const file = join(folder(), "switchyard.db");
    const store = await open(file);
    await store.step(label, "a");
    change(file);
    expect(await refusal(() => store.step(label, "b"))).toEqual(refused(file));
    expect(await refusal(() => store.step(label, "c"))).toEqual(refused(file));
  });

  test("OP-10: moved back it is used again", async () => {
    const file = join(folder(), "switchyard.db");
    const store = await open(file);
    await store.step(label, "a");
    renameSync(file, `${file}.away`);
    expect(await refusal(() => store.step(label, "b"))).toEqual(refused(file));
    renameSync(`${file}.away`, file);
    await store.step(label, "c");
    expect(await store.read(labels, undefined)).toEqual(["a", "c"]);
  });

  test.each([
    [
      "a link to the file",
      (real: string, other: string) => symlinkSync(join(real, "switchyard.db"), join(other, "x.db")),
      "x.db",
    ],
    [
      "a link to its folder",
      (real: string, other: string) => symlinkSync(real, join(other, "data")),
      "data/switchyard.db",
    ],
  ])("OP-5: %s leads to the same lock", async (_what, link, name) => {
    const [real, other] = [folder(), folder()];
    const file = join(real, "switchyard.db");
    (await open(file)).close();
    const first = lockStore(file);
    link(real, other);
    expect(await refusal(() => lockStore(join(other, name)))).toMatchObject({ code: "store_in_use" });
    first.release();
    lockStore(join(other, name)).release();
  });
});

describe("OP-5: one process per store", () => {
  test("the second is refused and told who the first is; when that ends, it may", async () => {
    const file = join(folder(), "data/switchyard.db");
    const first = lockStore(file);
    expect(await refusal(() => lockStore(file))).toEqual({
      code: "store_in_use",
      message: storeInUse(file, String(process.pid)),
      retryable: false,
    });
    first.release();
    lockStore(file).release();
  });

  test("garbage in the lock's place names that file, not the store", async () => {
    const file = join(folder(), "switchyard.db");
    writeFileSync(`${file}.lock`, "garbage ".repeat(500));
    expect(await refusal(() => lockStore(file))).toMatchObject({
      code: "store_corrupt",
      message: lockForeign(file, `${file}.lock`),
    });
  });
});

describe("OP-10: backups", () => {
  test("one made while steps run opens and is sound", async () => {
    const at = folder();
    const file = join(at, "switchyard.db");
    const store = await open(file);
    const steps = Array.from({ length: 200 }, (_, index) => store.step(label, `l${index}`));
    await steps[0];
    await sqliteFiles.backup(file, join(at, "copy.db"));
    await Promise.all(steps);
    expect(sqliteFiles.faults(join(at, "copy.db"))).toEqual([]);
    const copied = await (await open(join(at, "copy.db"))).read(labels, undefined);
    expect(copied).toContain("l0");
  });

  test("one is made before a migration of a store that holds something, and its failure leaves the store as it was", async () => {
    const at = folder();
    const file = join(at, "switchyard.db");
    const store = await open(file);
    await store.step(label, "kept");
    await store.close();
    closing.pop();
    // A store of some version before this program's: the last migration has to run, and will fail on what is there already.
    const raw = new Database(file);
    raw.exec("update schema_version set version = version - 1");
    const before = Number(raw.prepare("select version from schema_version").pluck().get());
    raw.close();
    await expect(open(file)).rejects.toThrow();
    const copies = readdirSync(at).filter((name) => name.includes("before-migration"));
    // Before the first migration there is nothing that could be lost.
    expect(copies).toHaveLength(before === 0 ? 0 : 1);
    for (const name of ["switchyard.db", ...copies]) {
      const looking = await sqliteFiles.openForReading(join(at, name));
      expect(await looking.read(labels, undefined)).toEqual(["kept"]);
      await looking.close();
    }
  });
});

describe("OP-10: doctor looks at the store's integrity", () => {
  test("a damaged page is found, with the way out", async () => {
    const at = folder();
    const file = join(at, "data/switchyard.db");
    const store = await open(file);
    for (let index = 0; index < 50; index += 1) await store.step(label, `label-${index}`);
    await store.close();
    closing.pop();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 3, 4096 * 12);
    writeFileSync(file, bytes);
    const settings = testSettings({}, { baseDir: at });
    const [finding] = await checkStore(settings, sqliteFiles);
    expect(finding).toMatchObject({ level: "error", subject: "store" });
    expect(finding?.message).toContain(file);
    expect(finding?.fix).toContain("restore a backup");
  });

  test("a file that is no database at all has a fix too", async () => {
    const at = folder();
    const settings = testSettings({}, { baseDir: at });
    mkdirSync(settings.store.dataDir, { recursive: true });
    writeFileSync(join(settings.store.dataDir, "switchyard.db"), "garbage ".repeat(1_000));
    expect(await checkStore(settings, sqliteFiles)).toEqual([
      expect.objectContaining({ level: "error", fix: expect.stringContaining("restore a backup") }),
    ]);
  });
});

const noDisk = whyNoDisk();

describe.skipIf(noDisk !== null)(
  `OP-10: disks${noDisk === null ? "" : ` (none can be mounted here: ${noDisk})`}`,
  () => {
    test("a read-only folder", async () => {
      const disk = mountDisk(1);
      closing.push(() => disk.unmount());
      disk.readOnly();
      const file = join(disk.folder, "switchyard.db");
      const expected = {
        code: "store_readonly",
        message: storeReadOnly(file),
        retryable: true,
      };
      expect(await refusal(() => lockStore(file))).toEqual(expected);
      expect(await refusal(() => open(file))).toEqual(expected);
    });

    test("a store on a disk that has become read-only", async () => {
      const disk = mountDisk(2);
      closing.push(() => disk.unmount());
      const file = join(disk.folder, "switchyard.db");
      lockStore(file).release();
      const store = await open(file);
      await store.step(label, "a");
      await store.close();
      closing.pop();
      disk.readOnly();
      expect(await refusal(() => lockStore(file))).toMatchObject({ code: "store_readonly" });
      expect(await refusal(() => open(file))).toMatchObject({ code: "store_readonly" });
    });

    test("a full disk refuses the start, and a step that failed for it is not there afterwards", async () => {
      const disk = mountDisk(4);
      closing.push(() => disk.unmount());
      const file = join(disk.folder, "switchyard.db");
      disk.fill();
      expect(await refusal(() => lockStore(file))).toMatchObject({ code: "store_full" });
      expect(await refusal(() => open(file))).toMatchObject({ code: "store_full" });
      disk.free();
      const store = await open(file);
      await store.step(label, "before");
      disk.fill();
      const tries = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => store.step(label, `d${n}`)));
      const stored = tries.flatMap((one, n) => (one.status === "fulfilled" ? [`d${n}`] : []));
      expect(tries.some((one) => one.status === "rejected")).toBe(true);
      disk.free();
      expect(await store.read(labels, undefined)).toEqual(["before", ...stored].sort());
      await store.step(label, "zz");
      expect(await store.read(labels, undefined)).toContain("zz");
    });

    test("an attachment that finds no room is refused as store trouble, and leaves no half of itself", async () => {
      const disk = mountDisk(1);
      closing.push(() => disk.unmount());
      const media = createMediaStore({ dataDir: disk.folder, maxBytes: 10_000_000 });
      const bytes = new Uint8Array(2_000_000);
      expect(await refusal(() => media.put(bytes, { name: "a", mime: "b" }))).toMatchObject({ code: "store_full" });
      expect(readdirSync(join(disk.folder, "media"))).toEqual([]);
      disk.readOnly();
      expect(await refusal(() => media.put(bytes, { name: "a", mime: "b" }))).toMatchObject({ code: "store_readonly" });
    });
  },
);
