import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everythingServer, filesystemServer, type McpScene, mcpScene, until } from "../../../support/mcp/mcp-scene.ts";

describe("the reference servers over stdio", () => {
  let scene: McpScene;
  beforeAll(async () => {
    scene = mcpScene((_, folder) => ({ all: everythingServer(), files: filesystemServer(folder) }));
    await Promise.all([scene.ready("all"), scene.ready("files")]);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it("ST-42: server-everything: its tools are offered, called, and their content is named", async () => {
    expect(scene.names()).toEqual(expect.arrayContaining(["all__echo", "all__get-sum", "all__get-tiny-image"]));
    expect(await scene.call("all__echo", { message: "hello" })).toEqual({ status: "ok", text: "Echo: hello" });
    expect((await scene.call("all__get-sum", { a: 2, b: 40 })).text).toContain("42");
    expect((await scene.call("all__get-tiny-image")).text).toMatch(/\[image image\/png, \d+ bytes, not shown\]/);
    expect(await scene.call("all__echo", {})).toMatchObject({
      status: "error",
      error: expect.stringContaining("message"),
    });
    const echo = scene.servers.tools().find((tool) => tool.name === "all__echo");
    expect(echo?.parameters()).toMatchObject({ type: "object", required: ["message"] });
  });

  it("ST-42: server-filesystem: reads and writes in its folder and refuses what is outside", async () => {
    mkdirSync(join(scene.folder, "shared"));
    writeFileSync(join(scene.folder, "shared/a.txt"), "the text of a");
    const path = (name: string): string => join(scene.folder, "shared", name);
    expect(await scene.call("files__read_text_file", { path: path("a.txt") })).toEqual({
      status: "ok",
      text: "the text of a",
    });
    expect(await scene.call("files__write_file", { path: path("b.txt"), content: "b" })).toMatchObject({
      status: "ok",
    });
    expect(readFileSync(path("b.txt"), "utf8")).toBe("b");
    const outside = await scene.call("files__read_text_file", { path: "/etc/hostname" });
    expect(outside).toMatchObject({ status: "error", error: expect.stringContaining("denied") });
  });
});

describe("a call that takes longer than its limit", () => {
  const long = "slow__trigger-long-running-operation";
  async function call(step: { readonly duration: number; readonly steps: number }) {
    await using scene = mcpScene({ slow: { ...everythingServer(), timeout: "2s" } });
    await scene.ready("slow");
    return await scene.call(long, step);
  }

  it("FC-323: each progress notification extends the call's limit; without one it ends there", async () => {
    const [told, silent] = await Promise.all([call({ duration: 5, steps: 25 }), call({ duration: 5, steps: 1 })]);
    expect(told).toMatchObject({ status: "ok", text: expect.stringContaining("5 seconds, Steps: 25") });
    expect(silent).toMatchObject({ status: "error" });
  });
});

describe("a server over HTTP", () => {
  it("ST-42: server-everything over streamable HTTP: called with its headers, away when it ends, back when it is back", async () => {
    const port = await freePort();
    let server = startHttpServer(port);
    await using scene = mcpScene({
      web: { url: `http://127.0.0.1:${port}/mcp`, headers: { authorization: "Bearer a-secret-Token-17" } },
    });
    await scene.ready("web");
    expect(await scene.call("web__echo", { message: "over HTTP" })).toEqual({ status: "ok", text: "Echo: over HTTP" });
    server.kill("SIGKILL");
    await until(() => server.signalCode !== null, "the server is gone");
    expect(await scene.call("web__echo", { message: "again" })).toMatchObject({ status: "error" });
    await scene.away("web");
    expect(scene.names()).toEqual([]);
    server = startHttpServer(port);
    await scene.ready("web");
    expect(await scene.call("web__echo", { message: "back" })).toEqual({ status: "ok", text: "Echo: back" });
    expect(JSON.stringify(scene.logs)).not.toContain("a-secret-Token-17");
    server.kill("SIGKILL");
  });

  it("FC-323: a server that was restarted no longer knows the session; the next call makes a new one and is carried out", async () => {
    const port = await freePort();
    let server = startHttpServer(port);
    await listening(port);
    await using scene = mcpScene({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    await scene.ready("web");
    for (const [at, round] of ["first", "second"].entries()) {
      server.kill("SIGKILL");
      await until(() => server.signalCode !== null, "the server is gone");
      server = startHttpServer(port);
      await listening(port);
      // Two at once share the one new session.
      const both = await Promise.all(
        ["a", "b"].map((name) => scene.call("web__echo", { message: `${round} ${name}` })),
      );
      expect(both).toEqual([
        { status: "ok", text: `Echo: ${round} a` },
        { status: "ok", text: `Echo: ${round} b` },
      ]);
      // What it offers now is asked again before it is killed once more.
      const asked = (): boolean => scene.logs.filter(({ text }) => text.includes("changed its tools")).length > at;
      await until(asked, "its tools are asked for again");
    }
    expect(scene.logs.filter(({ level }) => level === "warn")).toEqual([]);
    server.kill("SIGKILL");
  });
});

async function listening(port: number): Promise<void> {
  for (;;) {
    const answers = await fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function startHttpServer(port: number) {
  const { command, args } = everythingServer("streamableHttp");
  return spawn(command, args, { env: { PATH: process.env.PATH ?? "", PORT: String(port) }, stdio: "ignore" });
}

/** The server cannot tell which port it took, so it is given one that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(address)));
    });
  });
}
