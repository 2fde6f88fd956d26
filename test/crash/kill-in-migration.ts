import Database from "better-sqlite3";

/*
 * Preloaded into the program (`node --import`): ends its own process with SIGKILL in the middle of making its store, when
 * so many tables and indexes as `KILL_IN_MIGRATION` says stand there and are not committed.
 */

const state = { made: 0 };
const most = Number(process.env.KILL_IN_MIGRATION);
const { prepare } = Database.prototype;

Database.prototype.prepare = function (this: Database.Database, text: string) {
  if (/^\s*create (unique )?(table|index)/i.test(text)) {
    if (state.made === most) process.kill(process.pid, "SIGKILL");
    state.made += 1;
  }
  return prepare.call(this, text);
} as typeof prepare;
