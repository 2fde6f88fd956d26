/** What is wrong with the store and what to do about it (OP-10): shown by the command line, `/healthz` and the log. */

const named = (file: string, problem: string, remedy: string): string => `store ${file}: ${problem}. ${remedy}`;

export const storeFull = (file: string): string =>
  named(
    file,
    "the disk is full or cannot be written",
    "Free some space. A running Switchyard then continues on its own; no acknowledged message is lost",
  );

export const storeReadOnly = (file: string): string =>
  named(file, "the file or its folder is read-only", "Make both writable for the user that runs Switchyard");

export const storeCorrupt = (file: string): string =>
  named(
    file,
    "the file is damaged or is not a SQLite database",
    "Move it away and restore a backup (`switchyard db backup` makes them), or set store.url to another file",
  );

export const storeBusy = (file: string): string =>
  named(file, "another program has locked the file", "Close the other program");

export const storeMissing = (file: string): string =>
  named(
    file,
    "the file cannot be opened",
    "Check that its folder exists and is readable, and that store.url points to the right file",
  );

export const storeForeign = (file: string): string =>
  named(file, "the file is another program's database", "Set store.url to another file");

export const storeNewer = (place: string, schema: number, known: number): string =>
  named(
    place,
    `a newer Switchyard wrote it (schema ${schema}; this version knows ${known})`,
    "Start the newer version again, or restore the backup it made before it migrated the store",
  );

export const storeInUse = (file: string, owner: string | null): string =>
  named(
    file,
    `Switchyard already runs on it${owner === null ? "" : ` (process ${owner})`}`,
    "Stop that process, or set store.url to another file",
  );

export const lockForeign = (file: string, lockFile: string): string =>
  named(file, `${lockFile} is not a Switchyard lock`, "Remove that file; it holds no data");

export const storeNotKept = (file: string, reason: string): string =>
  named(file, `the disk did not keep what was written (${reason})`, "Check the disk, then start Switchyard again");

export const databaseUnreachable = (place: string): string =>
  named(place, "the database cannot be reached", "Check that it runs and that store.url is correct");
