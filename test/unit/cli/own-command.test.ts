import { expect, test } from "vitest";
import { commandLine } from "../../../src/cli/own-command.ts";

const here = { program: "/srv/yard/src/main.js", cwd: "/srv/yard", config: undefined, env: {} };

test.each([
  ["npm start", { env: { npm_lifecycle_event: "start" } }, "npm run switchyard --", "npm run switchyard --"],
  ["node", {}, "node src/main.js", "node src/main.js"],
  ["an installed command", { program: "/usr/local/bin/switchyard" }, "switchyard", "switchyard"],
  ["a service elsewhere", { cwd: "/" }, "node srv/yard/src/main.js", "node srv/yard/src/main.js"],
  ["another folder", { cwd: "/var/lib/yard" }, "node /srv/yard/src/main.js", "switchyard"],
  [
    "a configuration here",
    { config: "my bot.json5" },
    "node src/main.js --config 'my bot.json5'",
    "node src/main.js --config 'my bot.json5'",
  ],
  [
    "a configuration elsewhere",
    { config: "/etc/yard.json5" },
    "node src/main.js --config /etc/yard.json5",
    "node src/main.js",
  ],
])("FC-333: the command line as it was called: %s", (_how, called, exact, shown) => {
  expect(commandLine({ ...here, ...called })).toEqual({ exact, shown });
});
