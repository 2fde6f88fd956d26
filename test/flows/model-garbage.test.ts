import { expect, test } from "vitest";
import { failureSentence } from "../../src/agent/turn/failure.ts";
import { emptyAnswerNudge } from "../../src/core/texts/agent/wire.ts";
import { sqliteFiles } from "../../src/store/dialect/sqlite.ts";
import { recentFailures } from "../../src/store/reads/upkeep/operator.ts";
import {
  answer,
  type ChatRequest,
  faults,
  lastText,
  lastToolResults,
  type ModelReply,
  rawToolCall,
  reasoning,
  say,
  toolCall,
  withFinish,
} from "../support/emulators/model/index.ts";
import { API_KEY, BOT_TOKEN, closeScenesAfterEach, startScene } from "../support/program-scene.ts";
import { askSwitchyard } from "../support/run-switchyard.ts";

closeScenesAfterEach();

const NO_ANSWER = failureSentence("model");
const UNREACHABLE = failureSentence("model_unreachable");
const CIRCLES = failureSentence("same_call");
const NOTHING = failureSentence("model_no_answer");

type Reply = (request: ChatRequest) => ModelReply;

/** After a first reply that calls tools: what their results were. */
const thenResults =
  (first: ModelReply): Reply =>
  (request) => {
    const results = lastToolResults(request);
    return results.length === 0 ? first : say(JSON.stringify(results.map(({ result }) => result)));
  };

interface Case {
  readonly reply: Reply;
  /** What the person reads; null: nothing. */
  readonly shown: string | RegExp | null;
  /** What the operator reads about it. */
  readonly cause?: RegExp;
}

const leaked = `The key ${API_KEY} is not valid, see http://10.0.0.1/keys`;

const CASES: Readonly<Record<string, Case>> = {
  "no choices": { reply: () => faults.noChoices(), shown: NO_ANSWER, cause: /bad_response/ },
  "a web page": { reply: () => faults.html(200), shown: NO_ANSWER, cause: /bad_response/ },
  "a gateway": { reply: () => faults.html(502), shown: UNREACHABLE, cause: /unavailable.*HTTP 502/ },
  "broken line": { reply: () => faults.brokenSse("Hel"), shown: /^Hel\s+\(?.*This answer was cut off/ },
  "cut stream": { reply: () => faults.cutAfter("Half an an"), shown: UNREACHABLE, cause: /unavailable/ },
  "early end": { reply: () => faults.endsEarly("Half an an"), shown: NO_ANSWER, cause: /bad_response/ },
  "error event": { reply: () => faults.errorEvent(leaked), shown: UNREACHABLE, cause: /unavailable/ },
  "too many": {
    reply: () => faults.rateLimited({ retryAfterMs: 20 }),
    shown: failureSentence("model_limit"),
    cause: /rate_limited/,
  },
  "too long": {
    reply: () => faults.contextOverflow(),
    shown: failureSentence("model_too_long"),
    cause: /context_overflow/,
  },
  "bad key": {
    reply: () => ({
      kind: "http",
      status: 401,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ error: { message: leaked, type: "x", code: "invalid_api_key" } }),
    }),
    shown: failureSentence("model_account"),
    cause: /unauthorized/,
  },
  "unknown tool": { reply: thenResults(answer(toolCall("rm_rf", { path: "/" }))), shown: /there is no tool "rm_rf"/ },
  "no tool name": { reply: () => answer(toolCall("", {})), shown: NO_ANSWER, cause: /bad_response/ },
  "bad arguments": { reply: thenResults(answer(rawToolCall("session_status", '{"a": '))), shown: /not valid JSON/ },
  "list arguments": { reply: thenResults(answer(rawToolCall("session_status", "[1]"))), shown: /invalid argument/ },
  "wrong types": {
    reply: thenResults(answer(toolCall("sessions_list", { limit: { a: 1 } }))),
    shown: /invalid argument limit/,
  },
  "fifty calls": {
    reply: thenResults(answer(...Array.from({ length: 50 }, (_, n) => toolCall("nope", { n })))),
    shown: /there is no tool "nope"/,
  },
  "same call": { reply: () => answer(toolCall("nope", {})), shown: CIRCLES, cause: /nope/ },
  "only reasoning": {
    reply: () => answer(reasoning("I think I shall say nothing.")),
    shown: NOTHING,
    cause: /no_answer/,
  },
  "only space": { reply: () => say("  \n", "\t \n\n"), shown: NOTHING, cause: /no_answer/ },
  "nothing at all": { reply: () => answer(), shown: NOTHING, cause: /no_answer/ },
  withheld: {
    reply: () => withFinish(answer(), "content_filter"),
    shown: failureSentence("model_filtered"),
    cause: /filtered/,
  },
  "cut short": {
    reply: () => withFinish(say("Half an ans"), "length"),
    shown: /^Half an ans[\s\S]*This answer was cut off/,
  },
  "a call in words": {
    reply: thenResults(say('```json\n{"name": "session_status", "arguments": {}}\n```')),
    shown: /^\[\{"status":"ok"/,
  },
  "silent word": { reply: () => say(" NO", "_RE", "PLY", "\n"), shown: null },
  "leaked markup": {
    reply: () =>
      say(
        'Hello <tool_call>{"name":"x","arguments":{}}</tool_call>',
        '<function_calls><invoke name="y"></invoke>'.concat("</function_calls>"),
        " there <think>secret plan</think>",
      ),
    shown: /^Hello\s+there$/,
  },
  everyone: { reply: () => say("@everyone and @here, <!channel> look"), shown: /^(?!.*@everyone)(?!.*@here).*look$/ },
};

test("TN-6, TN-7, TN-16: whatever a model does, the person reads at most one plain sentence and the operator the cause", {
  timeout: 120_000,
}, async () => {
  const at = await startScene({
    streaming: "partial",
    script: (request) => {
      // The second request of a silent answer carries the nudge behind the words (FC-311).
      const words = lastText(request, "user").replace(`\n\n${emptyAnswerNudge}`, "");
      const [, found] = Object.entries(CASES).find(([name]) => words.endsWith(`\n${name}`)) ?? [];
      return found === undefined ? say("well") : found.reply(request);
    },
  });
  const people = Object.keys(CASES).map((name) => ({ name, person: at.telegram.user({ name: `P ${name}` }) }));
  for (const { name, person } of people) person.dm(at.bot).says(name);
  const ended = (): number => at.program.logs.filter((line) => line.msg === "turn ended").length;
  await at.program.logged(() => ended() >= people.length, 60_000);
  // One more message to everybody: what came before is out by then, and nobody is stuck.
  for (const { person } of people) person.dm(at.bot).says("and now?");
  const textsOf = (person: (typeof people)[number]["person"]): string[] =>
    at.telegram
      .messages(person.dm(at.bot))
      .filter((message) => message.from?.id === at.bot.user.id)
      .map((message) => message.text ?? "");
  await at.telegram.until(() => (people.every(({ person }) => textsOf(person).at(-1) === "well") ? true : undefined), {
    within: 20_000,
    what: "everybody's second answer",
  });

  for (const { name, person } of people) {
    const { shown } = CASES[name] as Case;
    const read = textsOf(person).slice(0, -1);
    if (shown === null) expect(read, name).toEqual([]);
    else if (typeof shown === "string") expect(read, name).toEqual([shown]);
    else expect(read.join("\n"), name).toMatch(shown);
  }

  const store = await sqliteFiles.openForReading(`${at.program.folder}/data/switchyard.db`);
  const failures = await store.read(recentFailures, { limit: 100 });
  await store.close();
  for (const { name, person } of people) {
    const { cause } = CASES[name] as Case;
    const own = failures.filter((failure) => failure.sessionKey?.endsWith(`:${person.id}`)).map((one) => one.message);
    if (cause === undefined) expect(own, name).toEqual([]);
    else expect(own.join("\n"), name).toMatch(cause);
  }

  const [status, check, health, metrics] = await Promise.all([
    askSwitchyard(at.program.folder, ["status", "--json"]),
    askSwitchyard(at.program.folder, ["config", "check", "--json"]),
    fetch(`${at.program.url}/healthz`).then((response) => response.text()),
    fetch(`${at.program.url}/metrics`).then((response) => response.text()),
  ]);
  expect([status.code, check.code]).toEqual([0, 0]);
  const everything: Readonly<Record<string, string>> = {
    log: JSON.stringify(at.program.logs),
    chats: people.flatMap(({ person }) => textsOf(person)).join("\n"),
    failures: JSON.stringify(failures),
    status: status.out + status.err,
    check: check.out + check.err,
    health,
    metrics,
  };
  for (const [where, said] of Object.entries(everything)) {
    for (const secret of [API_KEY, BOT_TOKEN, BOT_TOKEN.split(":")[1] ?? ""]) expect(said, where).not.toContain(secret);
  }
  for (const said of [everything.chats, everything.failures]) {
    expect(said).not.toMatch(/https?:\/\/|\n {4}at |node:internal/);
  }
});
