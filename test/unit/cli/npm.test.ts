import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writeConfig } from "../../support/run-switchyard.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

test("FC-336: through npm as the README says, --json prints nothing but JSON", async () => {
  const config = writeConfig(mkdtempSync(join(tmpdir(), "switchyard-npm-")), {
    agents: { defaults: { model: "demo/switchyard" } },
  });
  const args = ["run", "--silent", "switchyard", "--", "config", "check", "--json", "--config", config];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: REPOSITORY });
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, sourcePath: config });
});
