import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { farewell } from "../../src/core/texts/chat/completion-text.ts";
import { notices } from "../../src/core/texts/chat/notices.ts";
import { movingWork, newestBinding, openRows } from "../crash/store-view.ts";
import { answer, gate, say, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { discordPlatform } from "../support/platforms/discord.ts";
import type { Platform, Spot } from "../support/platforms/platform.ts";
import { slackPlatform } from "../support/platforms/slack.ts";
import { telegramPlatform } from "../support/platforms/telegram.ts";
import { webPlatform } from "../support/platforms/web.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

const names = ["discord", "slack", "telegram", "web"] as const;
const platforms = new Map<string, Platform>();
const started: { bridge: TestBridge | null } = { bridge: null };

/** One process with every channel and two accounts of each: what happens on one must not be felt on another. */
beforeAll(async () => {
  for (const one of [await discordPlatform(), await slackPlatform(), await telegramPlatform(), webPlatform()])
    platforms.set(one.name, one);
  const all = [...platforms.values()];
  started.bridge = await startTestBridge({
    telegram: false,
    config: {
      commands: { ownerAllowFrom: all.flatMap(({ owner }) => owner ?? []) },
      channels: Object.fromEntries(all.map(({ name, config }) => [name, config])),
    },
  });
  for (const one of all) await one.ready(started.bridge);
});
afterAll(async () => {
  await started.bridge?.[Symbol.asyncDispose]();
  for (const one of platforms.values()) await one.stop();
});

function bridge(): TestBridge {
  if (started.bridge === null) throw new Error("no bridge");
  return started.bridge;
}

function on(name: string): Platform {
  const found = platforms.get(name);
  if (found === undefined) throw new Error(`no platform ${name}`);
  return found;
}

/** Nothing is on its way any more: what was not said by now is not said. */
async function settled(): Promise<void> {
  const { folder } = bridge().process;
  await expect
    .poll(() => movingWork(folder), { timeout: 10_000, interval: 20 })
    .toEqual({ inputs: 0, turns: 0, runs: 0, completions: 0, deliveries: 0 })
    .catch((error: unknown) => {
      throw new Error(openRows(folder).join("\n"), { cause: error });
    });
}

async function bindingIs(state: string): Promise<void> {
  await expect.poll(() => newestBinding(bridge().process.folder), { timeout: 10_000, interval: 20 }).toBe(state);
}

describe.each(names)("on %s", (name) => {
  test("DL-7: a direct message is answered where it was written, and the next answer knows it", async () => {
    const direct = on(name).direct();
    await direct.says(`remember that ${name} is blue`);
    await direct.hears(new RegExp(`${name} is blue$`));
    await direct.says("what did I say?");
    await direct.hears(new RegExp(`"remember that ${name} is blue"`));
  });

  test("IN-7: in a channel the bot answers only people who address it, once", async () => {
    const channel = await on(name).channel(`${name}-talk`);
    if (on(name).public) await channel.says("say exactly: nobody asked me", { by: "ben" });
    const place = await channel.asks("say exactly: Ann asked me");
    await place.hears("Ann asked me");
    await settled();
    expect(await place.botTexts()).toEqual(["Ann asked me"]);
    expect((await channel.botTexts()).filter((said) => said !== "Ann asked me")).toEqual([]);
  });

  test("FC-185, CP-4: in a thread a follow-up needs no mention, and a sub-agent's result comes back into it", async () => {
    const channel = await on(name).channel(`${name}-threads`);
    const thread = await channel.thread("Deploys");
    await thread.says("say exactly: one", { to: "default" });
    await thread.hears("one");
    await thread.says("spawn a sub-agent to count to three and report", { by: "ben" });
    await thread.hears(/^I started the sub-agent/);
    await thread.hears(/is done and reports: 1, 2, 3 — done/);
    await settled();
    expect(await channel.botTexts()).toEqual([]);
  });

  test("TB-1, TB-2, TB-3: a sub-agent gets a thread, answers there and nowhere else, and needs no mention there", async () => {
    const channel = await on(name).channel(`${name}-kitchen`);
    const asked = await channel.asks("spawn a sub-agent in a thread to count to three");
    const thread = await channel.subAgentThread("count to three");
    await thread.hears("1, 2, 3 — done.");
    await thread.says("say exactly: still here", { by: "ben" });
    await thread.hears("still here");
    await settled();
    for (const place of [channel, asked])
      expect((await place.botTexts()).filter((said) => /done|still here/.test(said))).toEqual([]);
  });

  test("TB-3, TN-3: what is written in the thread while the sub-agent works steers it", async () => {
    const channel = await on(name).channel(`${name}-workshop`);
    const working = gate();
    bridge().script(
      modelRules(
        [
          /walk$/,
          ({ results }) =>
            results.length === 0 ? answer(working.step, toolCall("session_status", {})) : say("I saw nothing."),
        ],
        [/look left$/, say("I looked left.")],
      ),
    );
    const before = bridge().model.requests.length;
    await channel.runs("/subagents spawn --thread --model emulated/small walk");
    const thread = await channel.subAgentThread("walk");
    await expect.poll(() => bridge().model.requests.length, { timeout: 10_000, interval: 20 }).toBeGreaterThan(before);
    await thread.says("look left");
    await expect
      .poll(() => movingWork(bridge().process.folder).inputs, { timeout: 10_000, interval: 20 })
      .toBe(2)
      .finally(() => working.open());
    await thread.hears("I looked left.");
    await settled();
    expect(await thread.botTexts()).not.toContain("I saw nothing.");
  });

  test("TB-5: /agents shows the thread, /unfocus releases it, /focus binds it again", async () => {
    const channel = await on(name).channel(`${name}-garden`);
    const place = await channel.asks("spawn a sub-agent in a thread to count to two");
    const thread = await channel.subAgentThread("count to two");
    await thread.hears("1, 2 — done.");
    await place.runs("/agents");
    await place.hears(/Linked threads[\s\S]*count to two.*: expires in 24 h/);
    await thread.runs("/unfocus");
    await thread.hears(/^This thread is unlinked\. .*agent:main:subagent:\S+ continues without it\./);
    await thread.says("what did I say?", { to: "default" });
    await thread.hears("You have said nothing before in this session.");
    if (on(name).public) {
      await thread.runs("/focus last", { by: "ben" });
      await settled();
    }
    await thread.runs("/focus last");
    await thread.hears(/Reply in this thread to talk to .*count to two.*24 h without a message/);
    await thread.says("what did I say?");
    await thread.hears(/spawn a sub-agent in a thread to count to two/);
  });

  test("TB-4, TB-6: an unused thread is unlinked with a farewell, and later messages route normally", async () => {
    const channel = await on(name).channel(`${name}-attic`);
    await channel.asks("spawn a sub-agent in a thread to count to four");
    const thread = await channel.subAgentThread("count to four");
    await thread.hears("1, 2, 3, 4 — done.");
    await thread.runs("/session idle 1s");
    await thread.hears("Expires without messages after: 1 s. Expires in any case after: off.");
    await thread.hears(farewell("idle")?.plain ?? "no text");
    await thread.says("what did I say?", { to: "default" });
    await thread.hears("You have said nothing before in this session.");
  });
});

describe.each(names.filter((name) => name !== "web"))("on %s, where people can take a thread away", (name) => {
  test("TB-6: a closed thread waits, and is bound again when it opens", async () => {
    const channel = await on(name).channel(`${name}-cellar`);
    await channel.asks("spawn a sub-agent in a thread to count to five");
    const thread = await channel.subAgentThread("count to five");
    await thread.hears("1, 2, 3, 4, 5 — done.");
    if (thread.closing === null) throw new Error("nothing closes a thread here");
    thread.closing.closes();
    await bindingIs(`paused: ${thread.closing.state}`);
    thread.closing.opens();
    await bindingIs("active");
    await thread.says("what did I say?");
    await thread.hears(/spawn a sub-agent in a thread to count to five/);
  });

  test("TB-6: a deleted thread is bound no more, and the sub-agent is still there", async () => {
    const channel = await on(name).channel(`${name}-library`);
    const place = await channel.asks("spawn a sub-agent in a thread to slowly count to four");
    const thread = await channel.subAgentThread("slowly count to four");
    if (thread.deletes === null) throw new Error("nothing deletes a thread here");
    thread.deletes();
    await settled();
    await expect
      .poll(() => newestBinding(bridge().process.folder), { timeout: 10_000 })
      .toMatch(/^ended: (deleted|gone)$/);
    await place.runs("/agents");
    const listed = await place.hears(/Sub-agents here/);
    expect(listed).toMatch(/slowly count to four.*: ok/);
    expect(listed).not.toMatch(/Bound threads/);
  });
});

describe.each(names.filter((name) => name !== "web"))("on %s, where not everybody may", (name) => {
  test("IN-6, CM-5: a stranger's message and command in a channel are nothing", async () => {
    const channel = await on(name).channel(`${name}-strangers`);
    await channel.says("say exactly: I got in", { by: "cleo", to: "default" });
    await channel.runs("/status", { by: "cleo" });
    const place = await channel.asks("say exactly: the end");
    await place.hears("the end");
    await settled();
    expect((await channel.botTexts()).filter((said) => said !== "the end")).toEqual([]);
  });

  test("IN-5, FC-333: a stranger's command in a direct chat gets a code and nothing else; the code lets them in, at this account only, and their message is answered", async () => {
    const direct = on(name).direct("cleo");
    await direct.runs("/status");
    const asked = await direct.hears(/This bot is private/);
    const code = /\b[2-9A-HJ-NP-Z]{8}\b/.exec(asked)?.[0] ?? "";
    await direct.says("say exactly: I waited");
    const approved = await bridge().cli("pairing", "approve", name, code);
    expect(approved.exitCode, approved.err).toBe(0);
    await direct.hears(notices.welcome);
    await direct.hears("I waited");
    await direct.says("say exactly: let in");
    await direct.hears("let in");
    expect((await direct.botTexts()).filter((said) => said.includes("agent:main"))).toEqual([]);
    const other = on(name).direct("cleo", "second");
    await other.says("say exactly: here too");
    await other.hears(/This bot is private/);
  });

  test("FC-090, FC-091: of two accounts the one that heard answers, with its own memory, and reports its sub-agents", async () => {
    const channel = await on(name).channel(`${name}-both`);
    const second = await channel.asks("spawn a sub-agent to count to two and report", "second");
    await second.hears(/^I started the sub-agent/, "second");
    await second.hears(/reports: 1, 2 — done/, "second");
    const first = await channel.asks("what did I say?");
    await first.hears("You have said nothing before in this session.", "default");
    const direct = on(name).direct("ann", "second");
    await direct.says("say exactly: from the second");
    await direct.hears("from the second", "second");
    await settled();
  });
});

test.each(["discord", "slack"])(
  "CM-17: on %s a typed command that two bots hear runs once: on the bot it names, or the one spoken with",
  async (name) => {
    const channel = await on(name).channel(`${name}-pair`);
    const answers = async (...spots: readonly Spot[]): Promise<number> => {
      await settled();
      const said = await Promise.all(spots.map((spot) => spot.botTexts()));
      return said.flat().filter((text) => text.includes("agent:main")).length;
    };
    const fresh = await channel.thread("nobody was spoken with");
    await fresh.runs("/whoami");
    await fresh.hears(/agent:main/);
    expect(await answers(fresh)).toBe(1);

    const place = await channel.asks("say exactly: from the second", "second");
    await place.hears("from the second", "second");
    await place.runs("/whoami");
    await place.hears(/agent:main/, "second");
    expect(await answers(place)).toBe(1);
    const named = await channel.asks("!whoami", "default");
    await named.hears(/agent:main/, "default");
    expect(await answers(named)).toBe(name === "discord" ? 2 : 1);
  },
);

// On Telegram bots never hear each other.
test.each(["discord", "slack"])(
  "FC-113: on %s one of two bots names the other, and nothing comes of it",
  async (name) => {
    const channel = await on(name).channel(`${name}-bots`);
    const place = await channel.asks("say exactly: hello");
    await place.hears("hello", "default");
    const newest = JSON.parse((await bridge().cli("sessions", "--json", "--limit", "20")).out) as { key: string }[];
    const session = newest.find(({ key }) => key.includes(`:${name}:`));
    // The operator asks, so that no person's message names the second bot.
    await bridge().cli("send", session?.key ?? "", `say exactly: ${on(name).mentionOf("second")} what do you think?`);
    await place.hears(/what do you think\?$/, "default");
    await channel.asks("say exactly: here I am", "second");
    await settled();
    const said = [...(await place.botTexts()), ...(await channel.botTexts())];
    expect(said.filter((text) => text.includes("what do you think"))).toHaveLength(name === "slack" ? 1 : 2);
  },
);

test("SK-10: one agent talks on four platforms at once, each in a session of its own, and nothing strays", async () => {
  const spots = names.map((name) => ({ name, direct: on(name).direct() }));
  await Promise.all(
    spots.map(async ({ name, direct }) => {
      await direct.runs("/new");
      await direct.hears(/fresh session/);
      await direct.says(`remember that the word of ${name} is ${name}-word`);
      await direct.hears(new RegExp(`${name}-word$`));
      await direct.says("spawn a sub-agent to count to three and report");
      await direct.hears(/is done and reports: 1, 2, 3/);
      await direct.says("what did I say?");
      const said = await direct.hears(/remember that the word/);
      for (const other of names.filter((one) => one !== name)) expect(said).not.toContain(`${other}-word`);
    }),
  );
  await settled();
});
