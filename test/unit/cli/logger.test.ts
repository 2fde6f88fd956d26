import { expect, test } from "vitest";
import { createLogger } from "../../../src/cli/logger.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import type { LogLevel } from "../../../src/core/settings.ts";

async function logged(
  work: (log: Logger) => void,
  options: { content?: boolean; level?: LogLevel; pretty?: boolean } = {},
): Promise<string[]> {
  const lines: string[] = [];
  const settings = {
    logging: { level: options.level ?? "info", content: options.content ?? false },
    secrets: ["s3cr3t-value"],
  };
  const log = await createLogger({
    settings,
    isTerminal: options.pretty ?? false,
    write: (line) => void lines.push(line),
  });
  work(log);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  return lines;
}

const json = async (work: (log: Logger) => void, options = {}): Promise<Record<string, unknown>> =>
  JSON.parse((await logged(work, options))[0] ?? "");

test("OP-7: one line of JSON with level, time, fields and a sentence", async () => {
  const line = await json((log) => log.child({ turnId: "t1" }).info({ steps: 2 }, "turn ended"));
  expect(line).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-/),
    turnId: "t1",
    steps: 2,
    msg: "turn ended",
  });
});

test("OP-7: configured secrets and credentials are masked wherever they stand", async () => {
  const line = await json((log) =>
    log
      .child({ base: "x s3cr3t-value" })
      .info({ deep: { list: ["s3cr3t-value"] }, botToken: "anything", url: "http://u:pw@h/" }, "key s3cr3t-value"),
  );
  expect(line).toMatchObject({
    base: "x [redacted:secret]",
    deep: { list: ["[redacted:secret]"] },
    botToken: "[redacted]",
    url: "http://[redacted:url-credentials]@h/",
    msg: "key [redacted:secret]",
  });
});

test("OP-7: what people write is left out unless it is asked for", async () => {
  const work = (log: Logger): void => log.info({ event: { text: "hello", id: 1 } }, "accepted");
  expect(await json(work)).toMatchObject({ event: { text: "[omitted]", id: 1 } });
  expect(await json(work, { content: true })).toMatchObject({ event: { text: "hello", id: 1 } });
});

test("OP-7: errors show what happened; the stack only at debug level", async () => {
  const work = (log: Logger): void =>
    log.error({ err: new TypeError("with s3cr3t-value", { cause: new Error("inner") }) }, "failed");
  expect((await json(work)).err).toEqual({
    type: "TypeError",
    message: "with [redacted:secret]",
    cause: { type: "Error", message: "inner" },
  });
  expect((await json(work, { level: "debug" })).err).toMatchObject({ stack: expect.stringContaining("TypeError") });
});

test("OP-7: pretty lines on a terminal", async () => {
  const [line] = await logged((log) => log.info({ url: "http://127.0.0.1:1" }, "ready"), { pretty: true });
  expect(line).toMatch(/INFO.*ready.*127\.0\.0\.1/);
});
