import { existsSync, mkdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { connectControl } from "../control/client.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, databaseFile, Invocation } from "../invocation.ts";
import { createLogger } from "../logger.ts";

/** `switchyard db migrate`, `switchyard db backup [file]` (OP-10). */
export function addDb(program: Command, deps: CliDeps): void {
  const db = program.command("db").description("look after the store");
  db.command("migrate")
    .description("bring the store to this version's schema, after a backup; `start` does it too")
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      const { settings } = await call.load();
      if ((await connectControl(settings.store.dataDir)) !== null) {
        throw new CliFailure(
          "a Switchyard process runs on this store, so it is migrated already",
          "Stop it first if you mean another version's schema.",
        );
      }
      const file = databaseFile(settings);
      const log = await createLogger({
        settings,
        isTerminal: deps.isTerminal,
        write: (line) => deps.output.err(line.trimEnd()),
      });
      const store = await deps.storeFiles.open(file, { clock: deps.clock, log });
      await store.close();
      call.print({ file, migrated: true }, () => `${file} has this version's schema.`);
    });
  db.command("backup")
    .argument("[file]", "where to; default: the folder `backups` beside the store")
    .description("copy the store, also while Switchyard runs")
    .action(async (given: string | undefined, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const { settings } = await call.load();
      const file = databaseFile(settings);
      if (!existsSync(file))
        throw new CliFailure(`there is no store at ${file} yet`, `Start Switchyard once: ${call.startCommand()}`);
      const stamp = new Date(deps.clock.now()).toISOString().replace(/[:.]/g, "-");
      const target =
        given === undefined
          ? join(settings.store.dataDir, "backups", `switchyard-${stamp}.db`)
          : resolve(deps.cwd, given);
      if (existsSync(target))
        throw new CliFailure(`${target} exists already`, "Name another file; a backup never overwrites one.");
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      await deps.storeFiles.backup(file, target);
      await chmod(target, 0o600);
      call.print({ file: target }, () => `Backed up to ${target}.`);
    });
}
