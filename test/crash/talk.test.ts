import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { call, say } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge } from "../support/test-bridge.ts";

/** Ends the program with SIGKILL at the n-th commit of a step, counted from the one that stores the exchange. */
const KILL_IN_TALK = `
  import { channel } from "node:diagnostics_channel";
  const [step, nth] = process.env.KILL_IN_TALK.split(":");
  let begun = false;
  let seen = 0;
  channel("switchyard:step-committed").subscribe(({ name }) => {
    begun ||= name === "start-exchange";
    if (begun && name === step && ++seen === Number(nth)) process.kill(process.pid, "SIGKILL");
  });
`;
const START = ["--import", `data:text/javascript,${encodeURIComponent(KILL_IN_TALK)}`];

/** The message and its reply, the requester's answer, three reply-back turns, the announcement. */
const POINTS = [
  "start-exchange:1",
  "begin-turn:1",
  "end-turn:1",
  "end-turn:2",
  "end-turn:3",
  "end-turn:5",
  "begin-turn:5",
];

const GARDEN = "agent:main:web:channel:garden";
const TALK = modelRules(
  [/\] \[Reply-back 1\/5, run [^\]]+You have read their reply\..*\]$/, say("How many?")],
  [/\[Reply-back 2\/5.*\] How many\?$/, say("Three.")],
  [/\[Reply-back 3\/5.*\] Three\.$/, say("REPLY_SKIP")],
  [/\[Announce, run /, say("The kitchen takes three tomatoes.")],
  [/^\[Inter-session message .*\] any tomatoes\?$/, say("Some are ripe.")],
  [
    /what is ripe\?$/,
    ({ results }) =>
      results[0] === undefined
        ? call("sessions_send", { sessionKey: GARDEN, message: "any tomatoes?" })
        : say(`They say: ${(JSON.parse(results[0]) as { reply: string }).reply}`),
  ],
  [/good morning$/, say("Good morning.")],
);

test.for(POINTS)(
  "ST-26: killed after %s, the talk goes on with the right turn, and no turn or announcement comes twice",
  { timeout: 120_000 },
  async (point) => {
    await using bridge = await startTestBridge({
      telegram: false,
      model: TALK,
      config: { tools: { sessions: { visibility: "agent" } } },
      start: { nodeArgs: START, env: { KILL_IN_TALK: point } },
    });
    const garden = await bridge.web.channel("Garden");
    const kitchen = await bridge.web.channel("Kitchen");
    await garden.says("good morning");
    await garden.hears("Good morning.");
    // The answer to this may be cut with the process; the message is stored before.
    await kitchen.says("what is ripe?").catch(() => undefined);
    await bridge.process.exited;
    await bridge.restart();
    await kitchen.hears("They say: Some are ripe.");
    await garden.hears("The kitchen takes three tomatoes.");
    await expect.poll(() => openIn(bridge.process.folder), { timeout: 30_000 }).toEqual({ exchanges: 0, turns: 0 });
    expect(await kitchen.answers()).toEqual(["They say: Some are ripe."]);
    expect(await garden.answers()).toEqual(["Good morning.", "The kitchen takes three tomatoes."]);
    expect(turnsOf(bridge.process.folder)).toEqual([
      { session_key: GARDEN, turns: 4 },
      { session_key: "agent:main:web:channel:kitchen", turns: 3 },
    ]);
  },
);

function openIn(folder: string): { exchanges: unknown; turns: unknown } {
  return looking(folder, (database) => ({
    exchanges: database.prepare("select count(*) from exchanges where over_at is null").pluck().get(),
    turns: database.prepare("select count(*) from turns where ended_at is null").pluck().get(),
  }));
}

function turnsOf(folder: string): unknown {
  return looking(folder, (database) =>
    database
      .prepare("select session_key, count(*) as turns from turns group by session_key order by session_key")
      .all(),
  );
}

function looking<T>(folder: string, look: (database: Database.Database) => T): T {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
