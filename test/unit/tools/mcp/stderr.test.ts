import { expect, it } from "vitest";
import { StdioTransport } from "../../../../src/tools/mcp/stdio-transport.ts";

/** Starts a server that runs this script, and gives its first `count` lines on stderr while it still runs. */
async function firstLines(script: string, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = new StdioTransport(
    { kind: "stdio", command: process.execPath, args: ["-e", script], cwd: process.cwd(), env: {} },
    (line) => {
      lines.push(line);
      if (lines.length === count) resolve();
    },
  );
  await server.start();
  try {
    await promise;
  } finally {
    await server.close();
  }
  return lines.slice(0, count);
}

const STAYS = "process.stdin.on('end', () => process.exit()).resume();";

it("FC-406: a line on stderr without an end is cut and reported while it goes on, and the rest is dropped", async () => {
  const [line] = await firstLines(`process.stderr.write("x".repeat(8_000_000)); ${STAYS}`, 1);
  expect(line).toBe("x".repeat(2_000));
});

it("FC-406: lines after a cut one, empty ones too, are read whole", async () => {
  const text = `"x".repeat(5_000) + "\\nafter\\r\\n\\nlast\\n"`;
  const lines = await firstLines(`process.stderr.write(${text}); ${STAYS}`, 4);
  expect(lines).toEqual(["x".repeat(2_000), "after", "", "last"]);
});
