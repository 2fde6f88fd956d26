import { constants, existsSync, mkdirSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { isMediaFile, mediaFolder } from "../../bridge/media-store.ts";
import { ALREADY_MIGRATED, backedUp, fileExists, migrated, noStore } from "../../core/texts/cli/answers.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import { connectControl } from "../control/client.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, databaseFile, Invocation } from "../invocation.ts";

/** `switchyard db migrate`, `switchyard db backup [file]` (OP-10). */
export function addDb(program: Command, deps: CliDeps): void {
  const db = program.command("db").description(HELP.db);
  db.command("migrate")
    .description(HELP.dbMigrate)
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      const { settings } = await call.load();
      if ((await connectControl(settings.store.dataDir)) !== null) {
        throw new CliFailure(ALREADY_MIGRATED);
      }
      const file = databaseFile(settings);
      const { createLogger } = await import("../logger.ts");
      const log = await createLogger({
        settings,
        isTerminal: deps.isTerminal,
        write: (line) => deps.output.log.err(line.trimEnd()),
      });
      const store = await (await deps.storeFiles()).open(file, { clock: deps.clock, log });
      await store.close();
      call.print({ file, migrated: true }, () => migrated(file));
    });
  db.command("backup")
    .argument("[file]", HELP.dbBackupFile)
    .description(HELP.dbBackup)
    .action(async (given: string | undefined, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const { settings } = await call.load();
      const file = databaseFile(settings);
      if (!existsSync(file)) throw new CliFailure(noStore(file, call.startCommand()));
      const stamp = new Date(deps.clock.now()).toISOString().replace(/[:.]/g, "-");
      const target =
        given === undefined
          ? join(settings.store.dataDir, "backups", `switchyard-${stamp}.db`)
          : resolve(deps.cwd, given);
      const mediaTarget = `${target.replace(/\.db$/, "")}.media`;
      for (const one of [target, mediaTarget]) if (existsSync(one)) throw new CliFailure(fileExists(one, "backup"));
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      await (await deps.storeFiles()).backup(file, target);
      await chmod(target, 0o600);
      const attachments = await copyMedia(mediaFolder(settings.store.dataDir), mediaTarget);
      call.print({ file: target, media: mediaTarget, attachments }, () => backedUp(target, mediaTarget, attachments));
    });
}

/**
 * The attachments, after the store, so that all that its copy refers to is there (FC-332). They never change and are named by
 * their content; one that is removed meanwhile is referred to by nothing.
 */
async function copyMedia(from: string, to: string): Promise<number> {
  const names = existsSync(from) ? (await readdir(from)).filter(isMediaFile) : [];
  if (names.length === 0) return 0;
  await mkdir(to, { mode: 0o700 });
  let copied = 0;
  for (const name of names) {
    try {
      await copyFile(join(from, name), join(to, name), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      copied += 1;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return copied;
}
