import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discordDescriptor } from "../../../adapters/discord/descriptor.ts";
import { discordDoctor } from "../../../adapters/discord/doctor.ts";
import { discordDoctorTexts, doctorTexts } from "../../../src/core/texts/platforms/doctor.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { account } from "./host.ts";

let dc: DiscordEmulator;
beforeEach(async () => {
  dc = await startDiscordEmulator();
});
afterEach(() => dc.stop());

const look = async (token: string, guilds: readonly string[] = []) => {
  const places = new Map(guilds.map((id) => [id, {} as never]));
  const findings = await discordDoctor(
    account({ own: { token, apiUrl: dc.apiUrl }, places }),
    AbortSignal.timeout(5_000),
  );
  return findings.map(({ level, message }) => `${level}: ${message}`);
};

describe("OP-5: the doctor", () => {
  it("OP-5: a bot that is set up well is named, and nothing is wrong", async () => {
    const bot = dc.bot({ username: "switchy", messageContent: true });
    const guild = dc.guild({ name: "Work", members: [dc.user({ name: "Ann" }), bot] });
    expect(await look(bot.token, [guild.id])).toEqual([
      `ok: ${doctorTexts.tokenOf("switchy").message}`,
      `ok: ${discordDoctorTexts.intentOn.message}`,
    ]);
  });

  it("CH-1: a missing intent and a server the bot is not in are found before the start", async () => {
    const bot = dc.bot({ username: "deaf" });
    expect(await look(bot.token, ["300000000000000009"])).toEqual([
      `ok: ${doctorTexts.tokenOf("deaf").message}`,
      `error: ${discordDoctorTexts.intentOff.message}`,
      `warning: ${discordDoctorTexts.notInGuild("300000000000000009").message}`,
    ]);
  });

  it.each([
    [2_400, "ahead of"],
    [-2_400, "behind"],
  ])("FC-320: a clock that is %d s off is named with its fix", async (seconds, word) => {
    const bot = dc.bot({ username: "switchy", messageContent: true });
    dc.skews(-seconds * 1_000);
    expect(await look(bot.token)).toContainEqual(
      expect.stringMatching(new RegExp(`^warning: this machine's clock is 2[34]\\d\\d s ${word} Discord's`)),
    );
  });

  it("OP-5: a wrong token, and a platform that does not answer, are findings", async () => {
    expect(await look("wrong.token.at-all")).toEqual([`error: ${discordDoctorTexts.tokenRefused.message}`]);
    await dc.stop();
    expect(await look("wrong.token.at-all")).toEqual([expect.stringMatching(/^error: http.* does not answer/)]);
    await dc.start();
  });
});

describe("FC-053: ids in the configuration", () => {
  it.each([
    ["222333444555666777", "222333444555666777"],
    ["discord:222", "222"],
    ["<@!222>", "222"],
    ["<#444>", "444"],
    ["general", null],
    ["-100555", null],
  ])("FC-053: %s", (written, folded) => {
    expect(discordDescriptor.foldId(written, "sender")).toBe(folded);
  });
});
