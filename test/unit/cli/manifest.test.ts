import { afterEach, expect, test } from "vitest";
import { type CliScene, cliScene } from "../../support/cli-scene.ts";

let scene: CliScene | null = null;
afterEach(() => scene?.close());

function run(...args: readonly string[]) {
  scene = cliScene({});
  return scene.run(...args);
}

test("CH-2: the manifest of Slack is printed without a configuration for it, with the commands there are", async () => {
  const { exitCode, out } = await run("slack", "manifest");
  expect(exitCode).toBe(0);
  const manifest = JSON.parse(out) as { settings: object; features: { slash_commands: { description: string }[] } };
  expect(manifest.settings).toMatchObject({ socket_mode_enabled: true });
  expect(manifest.features.slash_commands[0]?.description).toMatch(/\bhelp\b.*\bstatus\b/);
});

test("CH-2: with an address the events go there", async () => {
  const { out } = await run("slack", "manifest", "--url", "https://bot.example.org/slack/events");
  expect(JSON.parse(out)).toMatchObject({
    settings: {
      socket_mode_enabled: false,
      event_subscriptions: { request_url: "https://bot.example.org/slack/events" },
    },
  });
});

test("CH-2: an address without a path is refused with the way out", async () => {
  const { exitCode, err } = await run("slack", "manifest", "--url", "https://bot.example.org");
  expect(exitCode).toBe(1);
  expect(err).toContain("/slack/events");
});
