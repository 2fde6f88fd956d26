import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { menuOf, shrink } from "../../../adapters/telegram/calls/commands.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { running } from "./host.ts";

const command = (name: string, description = `does ${name}`): NativeCommand => ({ name, description, arguments: [] });

describe("the menu", () => {
  it("FC-058: names are made into what Telegram takes, each once, and what is left out is named", () => {
    const menu = menuOf([
      command("status"),
      command("export-session"),
      command("Export_Session"),
      command("日本"),
      command("x".repeat(40)),
    ]);
    expect(menu.commands.map((it) => it.command)).toEqual(["status", "export_session", "x".repeat(32)]);
    expect(menu.names.get("export_session")).toBe("export-session");
    expect(menu.leftOut).toEqual([expect.stringContaining("/Export_Session"), expect.stringContaining("/日本")]);
  });

  it("FC-059: at most 100, and no description is empty or longer than 256", () => {
    const many = Array.from({ length: 120 }, (_, index) =>
      command(`c${index}`, index === 0 ? " " : "👩‍👩‍👧".repeat(60)),
    );
    const { commands, leftOut } = menuOf(many);
    expect([commands.length, leftOut.length]).toEqual([100, 20]);
    for (const { description } of commands) expect(description.length >= 1 && description.length <= 256).toBe(true);
    expect(commands[1]?.description).toMatch(/^(👩‍👩‍👧)+…$/u);
  });

  it("FC-059: a refused list gets shorter descriptions first, then fewer commands, and ends", () => {
    const long = Array.from({ length: 100 }, (_, index) => ({ command: `c${index}`, description: "d".repeat(256) }));
    const shorter = shrink(long);
    expect(shorter).toHaveLength(100);
    expect(shorter?.every(({ description }) => description.length <= 60)).toBe(true);
    expect(shrink(shorter ?? [])).toHaveLength(80);
    expect(shrink((shorter ?? []).slice(0, 5))).toBeNull();
  });
});

describe("putting it up", () => {
  let tg: TelegramEmulator;
  beforeEach(async () => {
    tg = await startTelegramEmulator();
  });
  afterEach(() => tg.stop());

  it("CM-2: every scope shows the commands; the same ones again ask Telegram nothing; what is picked has its own name", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const host = new TestHost();
    await using it = await running({ own: { botToken: bot.token, apiRoot: tg.apiRoot } }, host);
    const register = async () =>
      await it.adapter.capabilities.nativeCommands?.register([command("status"), command("export-session")]);
    await register();
    for (const type of ["default", "all_private_chats", "all_group_chats"]) {
      expect(bot.commands({ type })?.map((shown) => shown.command)).toEqual(["status", "export_session"]);
    }
    const calls = tg.calls("setMyCommands").length;
    await register();
    expect(tg.calls("setMyCommands")).toHaveLength(calls);
    tg.user({ name: "Ann" }).dm(bot).says("/export_session html");
    await host.until(() => host.events.length === 1, "the command");
    expect(host.texts()).toEqual(["/export-session html"]);
  });

  it("FC-059: a list that is refused as too much goes up smaller, with a warning that names what is missing", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const host = new TestHost();
    await using it = await running({ own: { botToken: bot.token, apiRoot: tg.apiRoot } }, host);
    tg.fails(
      { kind: "refusal", code: 400, description: "Bad Request: BOT_COMMANDS_TOO_MUCH" },
      { method: "setMyCommands", times: 2 },
    );
    await it.adapter.capabilities.nativeCommands?.register(
      Array.from({ length: 10 }, (_, index) => command(`c${index}`, "d".repeat(100))),
    );
    expect(bot.commands()?.map((shown) => shown.command)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"]);
    const warned = host.lines.find((line) => line.level === "warn");
    expect(warned?.fields).toEqual({ missing: ["c8", "c9"] });
  });
});
