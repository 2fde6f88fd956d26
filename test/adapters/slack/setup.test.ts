import type { AppsManifestCreateArguments } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { slackOwnSchema } from "../../../adapters/slack/config.ts";
import { slackDescriptor } from "../../../adapters/slack/descriptor.ts";
import { slackDoctor } from "../../../adapters/slack/doctor.ts";
import { BOT_SCOPES, slackManifest } from "../../../adapters/slack/manifest.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { account, socketAccount } from "./host.ts";

describe("CH-2: the configuration", () => {
  it.each([
    [{ botToken: "xoxb-1-a" }, "appToken"],
    [{ botToken: "xoxb-1-a", mode: "http" }, "signingSecret"],
    [{ botToken: "xoxp-1-a", appToken: "xapp-1-a" }, "botToken"],
    [{ botToken: "xoxb-1-a", appToken: "xoxb-1-a" }, "appToken"],
    [{ botToken: "xoxb-1-a", appToken: "xapp-1-a", apiUrl: "slack.com" }, "apiUrl"],
  ])("CH-2: %j has a fault at %s", (own, key) => {
    const parsed = slackOwnSchema.safeParse(own);
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([key]);
  });

  it("CH-2: the address of the API ends with one slash, however it was written", () => {
    const own = { botToken: "xoxb-1-a", appToken: "xapp-1-a", apiUrl: "https://slack.example/api" };
    expect(slackOwnSchema.parse(own).apiUrl).toBe("https://slack.example/api/");
  });

  it.each([
    ["c0abc123", "place", "C0ABC123"],
    ["slack:u0abc123", "sender", "U0ABC123"],
    ["#general", "place", null],
    ["U0ABC123", "place", null],
    ["@ann", "sender", null],
  ] as const)("FC-053: %s as a %s is %s", (id, what, folded) => {
    expect(slackDescriptor.foldId(id, what)).toBe(folded);
  });
});

describe("OP-5: the doctor", () => {
  let sl: SlackEmulator;
  beforeEach(async () => {
    sl = await startSlackEmulator();
  });
  afterEach(() => sl.stop());
  const findings = (settings: ReturnType<typeof account>) => slackDoctor(settings, AbortSignal.timeout(5_000));

  it.each([
    [2_400, "ahead of"],
    [-2_400, "behind"],
  ])("FC-320: a clock that is %d s off is named with its fix", async (seconds, word) => {
    const app = sl.app({ name: "Switchyard", scopes: BOT_SCOPES });
    sl.skews(-seconds * 1_000);
    expect(await findings(socketAccount(sl, app))).toContainEqual({
      level: "warning",
      subject: expect.any(String),
      message: expect.stringMatching(new RegExp(`^this machine's clock is 2[34]\\d\\d s ${word} Slack's`)),
      fix: expect.stringContaining("NTP"),
    });
  });

  it("OP-5: a correct account has no problems", async () => {
    const app = sl.app({ name: "Switchyard", scopes: BOT_SCOPES });
    expect((await findings(socketAccount(sl, app))).filter(({ fix }) => fix !== null)).toEqual([]);
  });

  it("OP-5: a wrong bot token, a wrong app token and an API that is away are errors with a way out", async () => {
    const app = sl.app({ name: "Switchyard" });
    const own = { botToken: app.botToken, appToken: app.appToken, apiUrl: sl.apiUrl };
    const wrongBot = await findings(account({ ...own, botToken: "xoxb-0-wrong" }));
    expect(wrongBot).toMatchObject([{ level: "error", message: expect.stringContaining("invalid_auth") }]);
    const wrongApp = await findings(account({ ...own, appToken: "xapp-0-wrong" }));
    expect(wrongApp.at(-1)).toMatchObject({ level: "error", fix: expect.stringContaining("connections:write") });
    await sl.stop();
    const away = await findings(account(own));
    expect(away).toMatchObject([{ level: "error", fix: expect.stringContaining("apiUrl") }]);
    expect(JSON.stringify([wrongBot, wrongApp, away])).not.toContain(app.botToken);
  });
});

describe("CH-2: the manifest", () => {
  const commands = [{ name: "status", description: "What goes on here", arguments: [] }];

  it("CH-2: over Socket Mode it needs no address, and over HTTP every part of it has one", () => {
    expect(JSON.stringify(slackManifest({ commands, requestUrl: null }))).not.toContain("http");
    const http = JSON.stringify(slackManifest({ commands, requestUrl: "https://x.example/slack/events" }));
    expect(http.match(/x\.example/g)).toHaveLength(4);
    expect(http).toContain('"socket_mode_enabled":false');
  });

  it("FC-222, CH-2: it asks for the agent view, the only one a new app can have", () => {
    const manifest: AppsManifestCreateArguments["manifest"] = {
      display_information: { name: "" },
      ...slackManifest({ commands, requestUrl: null }),
    };
    const { agent_view, assistant_view } = manifest.features ?? {};
    expect(agent_view?.agent_description?.length).toBeLessThanOrEqual(300);
    expect(agent_view?.suggested_prompts?.length).toBeLessThanOrEqual(4);
    expect(assistant_view).toBeUndefined();
    expect(manifest.settings?.event_subscriptions?.bot_events).not.toContain("assistant_thread_started");
  });

  it("CH-2: it names the one command and lists what it takes", () => {
    expect(slackManifest({ commands, requestUrl: null })).toMatchObject({
      features: { slash_commands: [{ command: "/switchyard", description: expect.stringContaining("status") }] },
      oauth_config: { scopes: { bot: BOT_SCOPES } },
    });
  });

  it("CH-2: with exactly its scopes and events the adapter has all it needs", async () => {
    const { BOT_EVENTS } = await import("../../../adapters/slack/manifest.ts");
    const { running, routeTo, send, sentIds, words } = await import("./host.ts");
    await using sl = await startSlackEmulator();
    const app = sl.app({ name: "Switchyard", scopes: BOT_SCOPES, events: BOT_EVENTS, assistant: true });
    const ann = sl.user({ name: "ann" });
    const channel = sl.channel("general", { members: [ann, app] });
    const secret = sl.channel("secret", { members: [ann, app], private: true });
    await using run = await running(socketAccount(sl, app));
    for (const place of [channel, secret, sl.mpim([ann, app])]) {
      const root = place.from(ann).says("hello", { mention: app, files: [{ name: "a.txt", bytes: "a" }] });
      await run.adapter.capabilities.typing?.start(routeTo(place.id, root.ts));
      sentIds(await send(run.adapter, routeTo(place.id, root.ts), words("hi"), { key: place.id, attempts: 2 }));
      expect(place.actions("status")).toHaveLength(1);
    }
    ann.dm(app).says("hello");
    await sl.caughtUp(app);
    expect(run.host.events.map(({ peer }) => peer.kind)).toEqual(["channel", "channel", "group", "direct"]);
    expect(run.host.events.every(({ sender }) => sender.name === "ann")).toBe(true);
    const [attachment] = run.host.events[0]?.attachments ?? [];
    if (attachment === undefined) throw new Error("no attachment");
    const limits = { maxBytes: 100, signal: AbortSignal.timeout(5_000) };
    expect(await run.adapter.capabilities.files?.fetch(attachment, limits)).toMatchObject({ ok: true });
    const refused = sl.calls().filter((call) => JSON.stringify(call).includes("missing_scope"));
    expect(refused).toEqual([]);
  });
});
