import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { createConfigEditor } from "../../../config/edit/editor.ts";
import { testSettings } from "../../support/test-settings.ts";

test("CM-15, ST-42: a command cannot name a program that Switchyard starts, nor show what a server is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "swy-edit-"));
  const file = join(folder, "switchyard.json5");
  const text = '{ mcp: { servers: { files: { command: "npx", env: { PHRASE: "open sesame" } } } } }';
  writeFileSync(file, text);
  const notReached = () => Promise.reject(new Error("nothing is loaded"));
  const editor = createConfigEditor({
    file,
    channels,
    startedWith: testSettings(),
    load: notReached,
    reload: notReached,
  });
  for (const path of ["mcp.servers.files.command", "mcp.servers.more"]) {
    expect(await editor.set(path, '"sh"')).toEqual({
      changed: false,
      problems: ["mcp: a chat command cannot change this. Edit the file instead."],
    });
  }
  expect(await editor.unset("mcp")).toMatchObject({ changed: false });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(JSON.stringify(await editor.get("mcp"))).not.toContain("sesame");
  rmSync(folder, { recursive: true });
});
