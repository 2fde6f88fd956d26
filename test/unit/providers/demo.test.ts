import { describe, expect, test } from "vitest";
import { demoReply } from "../../../src/agent/providers/demo/demo.ts";
import type { DemoReply } from "../../../src/agent/providers/demo/reply.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { ModelMessage } from "../../../src/core/model.ts";
import {
  assistant,
  called,
  collect,
  doneOf,
  failureOf,
  requestOf,
  returned,
  runnerFor,
  tool,
  user,
} from "./runner-kit.ts";

const TOOLS = [
  "sessions_spawn",
  "sessions_yield",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "session_status",
  "subagents",
  "agents_list",
].map(tool);

function ask(...messages: readonly ModelMessage[]): DemoReply {
  return demoReply({ system: "", messages, tools: TOOLS });
}

function textOf(reply: DemoReply): string {
  return reply.pieces.map((piece) => piece.text).join("");
}

const CALLS: readonly [string, string, JsonObject][] = [
  [
    "spawn a sub-agent to count to three and report",
    "sessions_spawn",
    { task: "count to three and report", label: "count to three" },
  ],
  [
    "Spawn a helper to count to 3 in a thread.",
    "sessions_spawn",
    { task: "count to 3", label: "count to 3", thread: true },
  ],
  [
    "please spawn a helper in its own thread to look around",
    "sessions_spawn",
    { task: "look around", label: "look around", thread: true },
  ],
  ["spawn a sub-agent called scout to look around", "sessions_spawn", { task: "look around", label: "scout" }],
  [
    "spawn a helper with agent research to look around",
    "sessions_spawn",
    { task: "look around", label: "look around", agentId: "research" },
  ],
  [
    "spawn a helper to count to five and wait for it",
    "sessions_spawn",
    { task: "count to five", label: "count to five" },
  ],
  ["list sessions", "sessions_list", {}],
  ["read history of main", "sessions_history", { sessionKey: "main" }],
  [
    "send 'it's late' to agent:main:web:direct:u1",
    "sessions_send",
    { sessionKey: "agent:main:web:direct:u1", message: "it's late" },
  ],
  ['send "hi" to label scout', "sessions_send", { label: "scout", message: "hi" }],
  ["ask agent:main:main how are you?", "sessions_send", { sessionKey: "agent:main:main", message: "how are you?" }],
  ["status", "session_status", {}],
  ["what's the status?", "session_status", {}],
  ["stop the helper", "subagents", { action: "kill", target: "last" }],
  ["kill all sub-agents", "subagents", { action: "kill", target: "all" }],
  ["list helpers", "subagents", { action: "list" }],
  ["tell the sub-agent to hurry", "subagents", { action: "steer", target: "last", message: "hurry" }],
  ["list agents", "agents_list", {}],
  ["wait for the helpers", "sessions_yield", {}],
];

describe("OP-4 demo model: requests", () => {
  test.each(CALLS)("OP-4: %s", (words, name, args) => {
    expect(ask(user(words))).toEqual({ pieces: [], calls: [{ name, args }] });
  });

  test("OP-4: three sub-agents are three spawns in one step", () => {
    const { calls } = ask(user("spawn three sub-agents to count to two"));
    expect(calls.map((call) => call.args.label)).toEqual(["count to two 1", "count to two 2", "count to two 3"]);
  });

  test("OP-4: reads a request inside the envelope of a chat message", () => {
    expect(ask(user("[Ann (111) in Telegram, 12:03]\nlist sessions")).calls).toEqual([
      { name: "sessions_list", args: {} },
    ]);
  });

  test("OP-4: answers the person's words, not what stands quoted above them, nor a notice beside them", () => {
    const text = [
      "[Historical context: written here since your last turn, not addressed to you]",
      "> Bob: spawn a helper to shout",
      "[Message from Ann (telegram:111), 2026-01-01 10:00]",
      "[Replying to Bob]",
      "> list agents",
      "count to two",
    ].join("\n");
    expect(textOf(ask(user(text), user("[System: the thread was renamed]")))).toBe("1, 2 — done.");
    expect(textOf(ask(user("[System: the thread was renamed]")))).toBe("Noted: the thread was renamed");
    expect(textOf(ask(user("[System: guidance from agent:main:main] count to two")))).toBe("1, 2 — done.");
  });

  test("OP-4: says so when the tool it needs is not offered", () => {
    const reply = demoReply({
      system: "",
      messages: [user("spawn a helper to count to three")],
      tools: [tool("sessions_list")],
    });
    expect(reply.calls).toEqual([]);
    expect(textOf(reply)).toBe(
      "I would need the tool sessions_spawn for that, but it is not offered to me in this turn.",
    );
  });

  test("OP-4: a child counts and reports", () => {
    expect(textOf(ask(user("[Subagent Task] count to three and report")))).toBe("1, 2, 3 — done.");
  });

  test("OP-4: counts slowly, one piece each 300 ms", () => {
    const { pieces } = ask(user("slowly count to 3"));
    expect(pieces.map((piece) => piece.text)).toEqual(["1", ", 2", ", 3", " — done."]);
    expect(pieces.map((piece) => piece.waitMs)).toEqual([300, 300, 300, null]);
  });

  test("TN-9: says nothing when asked to", () => {
    expect(textOf(ask(user("say nothing")))).toBe("NO_REPLY");
  });

  test("OP-4: remembers what was said in this session", () => {
    const before = [user("remember that my cat is Tom"), assistant("I will."), user("hello"), assistant("Hi.")];
    expect(textOf(ask(...before, user("what do you remember?")))).toBe("You asked me to remember: my cat is Tom");
    expect(textOf(ask(...before, user("what did I say before?")))).toBe(
      'Before that you said: "hello", before that "remember that my cat is Tom".',
    );
    expect(textOf(ask(user("what did I say before?")))).toBe("You have said nothing before in this session.");
  });

  test("IN-12: it names the files that came with a message, and those that did not come", () => {
    const sent = user(
      "[Operator (operator)] look at this\n[Attachment film.mp4: larger than 20 MB]\n[Attachment cat.png, image/png, 12 bytes]",
    );
    const said = textOf(ask(sent));
    expect(said).toBe(
      "I got cat.png. A demo model cannot look into files; a real model can.\nI did not get a file: film.mp4: larger than 20 MB",
    );
  });

  test("OP-4: is honest about what it is", () => {
    expect(textOf(ask(user("hello")))).toContain("I am Switchyard's built-in demo model");
    expect(textOf(ask(user("Explain quantum physics")))).toMatch(
      /^You wrote: "Explain quantum physics"\n.*demo model/s,
    );
  });

  test("OP-4: shows a table, a list and code, and a long text in many pieces", () => {
    const sample = textOf(ask(user("show markdown")));
    expect(sample).toMatch(/\| Fruit \| Price \|/);
    expect(sample).toContain("```js");
    const long = ask(user("write a long text"));
    expect(textOf(long).length).toBeGreaterThan(4000);
    expect(long.pieces.length).toBeGreaterThan(20);
  });

  test("ST-24: ends a reply-back exchange", () => {
    expect(textOf(ask(user("[Reply-back 1/5] run r1\nthanks")))).toBe("REPLY_SKIP");
  });
});

describe("OP-4 demo model: what happened", () => {
  const spawned = { status: "accepted", childSessionKey: "agent:main:subagent:1", runId: "r1" };

  test("OP-4: says in one sentence that a sub-agent was started", () => {
    const reply = ask(
      user("spawn a helper to count to three"),
      called("c1", "sessions_spawn", { task: "count to three", label: "count to three" }),
      returned("c1", "sessions_spawn", spawned),
    );
    expect(reply.calls).toEqual([]);
    expect(textOf(reply)).toBe('I started the sub-agent "count to three"; I will tell you its result.');
  });

  test("CP-8: yields after the spawn when the person wants it to wait", () => {
    const reply = ask(
      user("spawn a sub-agent to count to three and wait"),
      called("c1", "sessions_spawn", { task: "count to three", label: "x" }),
      returned("c1", "sessions_spawn", spawned),
    );
    expect(reply.calls).toEqual([{ name: "sessions_yield", args: {} }]);
  });

  test("SP-6: passes a refusal on and does not wait for a sub-agent that does not exist", () => {
    const reply = ask(
      user("spawn a helper to count to three and wait"),
      called("c1", "sessions_spawn", { task: "count to three", label: "x" }),
      returned("c1", "sessions_spawn", { status: "forbidden", error: "maxSpawnDepth is 1" }),
    );
    expect(reply.calls).toEqual([]);
    expect(textOf(reply)).toBe("The sub-agent could not be started: maxSpawnDepth is 1");
  });

  test("CP-2: reports a completion to the user with its result and without the figures", () => {
    const completion = [
      '[Completion of sub-agent "count \\"x\\"" (agent:main:subagent:1): ok]',
      "1, 2, 3 — done.",
      "[Stats: runtime 1.0 s, tokens in 1 out 2, run r1]",
    ].join("\n");
    expect(textOf(ask(user("spawn …"), assistant("ok"), user(completion)))).toBe(
      'The sub-agent "count "x"" is done and reports: 1, 2, 3 — done.',
    );
  });

  test("CP-7: reports several completions, each in a line of its own, and answers what a person asked meanwhile", () => {
    const one = '[Completion of sub-agent "a" (k1): ok]\nfirst';
    const two = '[Completion of sub-agent "b" (k2): timeout]\nThe run passed its time limit.';
    expect(textOf(ask(user(`${one}\n${two}`)))).toBe(
      'The sub-agent "a" is done and reports: first\nThe sub-agent "b" ran out of time: The run passed its time limit.',
    );
    expect(textOf(ask(user(one), user("count to two")))).toBe(
      'The sub-agent "a" is done and reports: first\n1, 2 — done.',
    );
  });

  test("ST-20: tells what the other session answered", () => {
    const reply = ask(
      user("ask agent:main:main hello"),
      called("c1", "sessions_send", { sessionKey: "agent:main:main", message: "hello" }),
      returned("c1", "sessions_send", { status: "ok", reply: "hi" }),
    );
    expect(textOf(reply)).toBe('agent:main:main answered: "hi"');
  });
});

describe("OP-4 demo provider", () => {
  test("OP-4: streams text in a few deltas and never reuses a call id", async () => {
    const { step } = runnerFor("demo", null);
    const events = await step({ messages: [user("hello")] });
    expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(2);
    const ids = [1, 2].map(async () => doneOf(await step({ messages: [user("list sessions")], tools: TOOLS })).parts);
    const [first, second] = await Promise.all(ids);
    expect(first?.[0]).toMatchObject({ type: "tool_call", name: "sessions_list" });
    expect(first).not.toEqual(second);
  });

  test("TN-8: an abort ends slow counting at once", async () => {
    const { runner } = runnerFor("demo", null);
    const abort = new AbortController();
    const events = runner.step(requestOf({ messages: [user("slowly count to 20")] }), abort.signal);
    setImmediate(() => abort.abort());
    expect(failureOf(await collect(events)).code).toBe("aborted");
  });
});
