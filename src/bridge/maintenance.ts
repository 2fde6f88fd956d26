import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { attachmentReferences, type ReferencesCursor } from "../store/reads/upkeep/attachment-references.ts";
import { pruneSessions } from "../store/steps/upkeep/prune-sessions.ts";
import { pruneStore } from "../store/steps/upkeep/prune-store.ts";
import type { Store } from "../store/store.ts";
import type { TaskHandler, WorkQueue } from "../work/work-queue.ts";
import { isMissing, mediaFolder } from "./media-store.ts";

const EVERY_MS = 6 * 3_600_000;
/** SL-2. */
const STATE_EVENTS = 50_000;
/** Rows per step, so that a large clean-up never holds the store for long. */
const BATCH = 2_000;
/** Sessions per step: each takes its whole transcript along. */
const SESSIONS = 20;

/** The task `maintenance`: bounds what grows (OP-10), rows and files, in small steps, again every six hours. */
export function createMaintenance(deps: {
  readonly store: Store;
  readonly work: Pick<WorkQueue, "enqueue">;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Logger;
}): TaskHandler {
  return async (key, _slot, signal) => {
    const now = deps.clock.now();
    const { eventsMs, recordsMs, sessionsMs } = deps.settings().retention;
    let removed = 0;
    for (let last = BATCH; last >= BATCH && !signal.aborted; ) {
      last = await deps.store.step(pruneStore, {
        eventsBefore: now - eventsMs,
        settledBefore: now - recordsMs,
        stateEvents: STATE_EVENTS,
        limit: BATCH,
      });
      removed += last;
    }
    const before = now - sessionsMs;
    for (let last = SESSIONS; sessionsMs > 0 && last >= SESSIONS && !signal.aborted; ) {
      last = await deps.store.step(pruneSessions, { before, limit: SESSIONS });
      removed += last;
    }
    const { dataDir } = deps.settings().store;
    const files = await removeUnusedFiles({ store: deps.store, dataDir, now: Date.now(), signal });
    if (files > 0) deps.log.info({ files }, "removed attachments that nothing refers to");
    if (removed > 0) deps.log.info({ removed }, "pruned old rows");
    deps.work.enqueue("maintenance", key, now + EVERY_MS);
  };
}

/** Bytes are kept before the row that refers to them is written; none takes longer than this. */
const YOUNG_MS = 24 * 3_600_000;

/**
 * Removes attachments that no row refers to any more, and files a crash left half-written (OP-10). A file that was kept, or
 * kept again, within the last day stays in any case. Returns how many were deleted.
 */
export async function removeUnusedFiles(deps: {
  readonly store: Pick<Store, "read">;
  readonly dataDir: string;
  readonly now: number;
  readonly signal: AbortSignal;
}): Promise<number> {
  const folder = mediaFolder(deps.dataDir);
  const before = deps.now - YOUNG_MS;
  const unused = new Set<string>();
  for (const name of await namesIn(folder)) if (await isOlder(join(folder, name), before)) unused.add(name);
  let cursor: ReferencesCursor | null = { place: 0, after: 0 };
  while (cursor !== null && unused.size > 0) {
    if (deps.signal.aborted) return 0;
    const { hashes, next }: { hashes: readonly string[]; next: ReferencesCursor | null } = await deps.store.read(
      attachmentReferences,
      cursor,
    );
    for (const hash of hashes) unused.delete(hash);
    cursor = next;
  }
  let removed = 0;
  for (const name of unused) if (await remove(folder, name, before)) removed += 1;
  return removed;
}

/** Moved aside first: if the same bytes are stored meanwhile, the file is either young and moves back, or is written again. */
async function remove(folder: string, name: string, before: number): Promise<boolean> {
  const path = join(folder, name);
  const aside = join(folder, `.${randomUUID()}`);
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  if (!(await isOlder(aside, before))) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function isOlder(path: string, before: number): Promise<boolean> {
  try {
    const facts = await stat(path);
    return facts.isFile() && facts.mtimeMs < before;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
