import { answer, call, delay, say, text, toolCall } from "../support/emulators/model/index.ts";
import { CONTROL_FLOWS } from "./control-flows.ts";
import type { Asked, Flow } from "./flow.ts";
import { type Channel, FAREWELL, LINK, OPENING } from "./stage.ts";

const subAgent = (mark: string, task = `work ${mark}`) => ({ task, label: `sub-agent ${mark}` });
const inThread = (text: string): string => `thread: ${text}`;

/** Each part is more than half of what fits into one message, so each is a message of its own. */
function inPieces(channels: readonly Channel[], verb: string, length: number): Flow {
  const part = (at: number, mark: string): string => `Part ${at} for ${mark}. ${"x".repeat(length)}`;
  return {
    name: "answer in several pieces",
    channels,
    does: (place, m) => place.says(`${verb} ${m}`),
    model: { [verb]: ({ mark }) => say([1, 2, 3].map((at) => part(at, mark)).join("\n\n")) },
    reads: (m) => [1, 2, 3].map((at) => part(at, m)),
  };
}

/** More than the 8 messages an answer may have (DL-6): the others come as a file. */
function withRest(channels: readonly Channel[], verb: string, length: number): Flow {
  const part = (at: number, mark: string): string => `Part ${at} of many for ${mark}. ${"x".repeat(length)}`;
  return {
    name: "answer with its rest as a file",
    channels,
    does: (place, m) => place.says(`${verb} ${m}`),
    model: { [verb]: ({ mark }) => say(Array.from({ length: 10 }, (_unused, at) => part(at, mark)).join("\n\n")) },
    reads: (m) => [...Array.from({ length: 8 }, (_unused, at) => part(at, m)), "The rest of the reply"],
  };
}

const spawns =
  (input: (mark: string) => { readonly [field: string]: string | boolean }) =>
  ({ done, mark }: Asked) =>
    done === 0 ? call("sessions_spawn", input(mark)) : say(`Started for ${mark}.`);

/** All ways of a message. A new one is a few lines here; its steps and sends join the suite by themselves. */
export const FLOWS: readonly Flow[] = [
  {
    name: "plain answer",
    does: (place, m) => place.says(`plain ${m}`),
    model: { plain: ({ mark }) => say(`Answer to ${mark}.`) },
    reads: (m) => [`Answer to ${m}.`],
  },
  {
    name: "streamed answer",
    does: (place, m) => place.says(`stream ${m}`),
    model: { stream: ({ mark }) => answer(text("Answer in "), delay(450), text(`pieces to ${mark}.`)) },
    reads: (m) => [`Answer in pieces to ${m}.`],
  },
  // The web page takes any length in one.
  inPieces(["telegram", "slack"], "pieces", 2_500),
  inPieces(["discord"], "chunks", 1_200),
  withRest(["telegram", "slack"], "rest", 2_500),
  withRest(["discord"], "remains", 1_200),
  {
    name: "tool call",
    does: (place, m) => place.says(`tool ${m}`),
    model: { tool: ({ done, mark }) => (done === 0 ? call("session_status", {}) : say(`Looked for ${mark}.`)) },
    reads: (m) => [`Looked for ${m}.`],
  },
  {
    name: "steer now",
    does: async (place, m) => {
      await place.says(`steer ${m}`);
      await place.says(`more ${m}`);
    },
    model: {
      steer: ({ done, mark }) =>
        done === 0 ? answer(delay(250), toolCall("session_status", {})) : say(`Without more for ${mark}.`),
      more: ({ mark }) => say(`More for ${mark}.`),
    },
    reads: (m) => [`More for ${m}.`],
    mayRead: (m) => [`Without more for ${m}.`],
  },
  {
    name: "spawn with completion",
    does: (place, m) => place.says(`spawn ${m}`),
    model: {
      spawn: spawns((mark) => subAgent(mark)),
      work: ({ mark }) => say(`Result of ${mark}.`),
      result: ({ mark }) => say(`Sub-agent says: Result of ${mark}.`),
    },
    reads: (m) => [`Sub-agent says: Result of ${m}.`],
    // A completion that comes while its requester still runs makes it unnecessary (CP-3).
    mayRead: (m) => [`Started for ${m}.`],
  },
  {
    name: "nested spawn",
    does: (place, m) => place.says(`nest ${m}`),
    model: {
      nest: spawns((mark) => subAgent(mark, `spawn ${mark}`)),
      inner: ({ mark }) => say(`From the second: ${mark}.`),
    },
    reads: (m) => [`From the second: ${m}.`],
    mayRead: (m) => [`Started for ${m}.`],
  },
  {
    name: "yield",
    does: (place, m) => place.says(`yield ${m}`),
    model: {
      yield: ({ done, mark }) =>
        done === 0
          ? answer(toolCall("sessions_spawn", subAgent(mark)), toolCall("sessions_yield", {}))
          : say(`Nothing to wait for in ${mark}.`),
    },
    reads: (m) => [`Sub-agent says: Result of ${m}.`],
    mayRead: (m) => [`Nothing to wait for in ${m}.`],
  },
  {
    name: "command",
    does: (place) => place.says(`${place.sigil}model emulated/small`),
    reads: () => [/^Model: .*set for this session/],
  },
  {
    name: "export",
    channels: ["web"],
    does: (place) => place.says(`${place.sigil}export`),
    reads: () => [/^Transcript: /, ""],
  },
  {
    name: "spawn by command",
    does: (place, m) => place.says(`${place.sigil}subagents spawn work ${m}`),
    reads: (m) => [/^Started/, `Sub-agent says: Result of ${m}.`],
  },
  {
    name: "spawn in a thread",
    where: "room",
    does: (place, m) => place.says(`thread ${m}`),
    model: {
      thread: spawns((mark) => ({ ...subAgent(mark), thread: true, context: "isolated", completionTarget: "channel" })),
    },
    reads: (m) => [inThread(OPENING), inThread(`Result of ${m}.`), `Sub-agent says: Result of ${m}.`],
    mayRead: (m) => [`Started for ${m}.`, LINK],
  },
  {
    name: "binding expiry",
    where: "room",
    does: async (place, m) => {
      await place.says(`bound ${m}`);
      await place.reads(inThread(`Result of ${m}.`));
      await place.saysInThread(`${place.sigil}session idle 1s`);
    },
    model: { bound: spawns((mark) => ({ ...subAgent(mark), thread: true, context: "isolated" })) },
    reads: (m) => [
      `Started for ${m}.`,
      ...[
        OPENING,
        `Result of ${m}.`,
        "Expires without messages after: 1 s. Expires in any case after: off.",
        FAREWELL,
      ].map(inThread),
    ],
    mayRead: () => [LINK],
  },
  {
    name: "goal",
    does: (place, m) => place.says(`goal ${m}`),
    model: {
      goal: ({ done, mark }) => (done === 0 ? call("create_goal", { objective: mark }) : say(`Goal for ${mark}.`)),
    },
    reads: (m) => [`Goal for ${m}.`],
  },
  {
    name: "message elsewhere",
    // Only an owner's agent may.
    where: "room",
    beside: true,
    does: (place, m) => place.says(`Post in ${place.beside().to}: post ${m}`),
    model: {
      post: ({ done, input, mark }) => {
        const [, to = ""] = /Post in (\S+): /.exec(input) ?? [];
        return done === 0 ? call("message", { to, text: `Posted for ${mark}.` }) : say(`It is there for ${mark}.`);
      },
    },
    reads: (m) => [`It is there for ${m}.`, `beside: Posted for ${m}.`],
  },
  {
    name: "send with reply-back",
    beside: true,
    does: (place, m) => place.says(`Ask ${place.beside().session}: ask ${m}`),
    model: {
      ask: ({ done, input, results, mark }) => {
        const [, sessionKey = ""] = /Ask (\S+): /.exec(input) ?? [];
        return done === 0
          ? call("sessions_send", { sessionKey, message: `ripe ${mark}`, timeoutSeconds: 120 })
          : say(`They say: ${(JSON.parse(results[0] ?? "{}") as { reply?: string }).reply}`);
      },
      ripe: ({ mark }) => say(`Some for ${mark}.`),
      reply: ({ mark }) => say(`howmany ${mark}`),
      howmany: ({ mark }) => say(`three ${mark}`),
      three: () => say("REPLY_SKIP"),
      announce: ({ mark }) => say(`Announced for ${mark}.`),
    },
    reads: (m) => [`They say: Some for ${m}.`, `beside: Announced for ${m}.`],
    // The question, the reply, three of reply-back, the announcement: ST-26.
    turns: 6,
  },
  {
    name: "interrupt",
    does: async (place, m) => {
      await place.says(`${place.sigil}queue interrupt`);
      await place.reads(/stop the running reply and are answered instead/);
      await place.says(`steer ${m}`);
      await place.says(`more ${m}`);
    },
    reads: (m) => [/stop the running reply and are answered instead/, `More for ${m}.`],
    mayRead: (m) => [`Without more for ${m}.`],
  },
  {
    name: "compact by command",
    does: async (place, m) => {
      await place.says(`plain ${m}`);
      await place.reads(`Answer to ${m}.`);
      await place.says(`tool ${m}`);
      await place.reads(`Looked for ${m}.`);
      await place.says(`${place.sigil}compact`);
    },
    // The command that died with its summary stored finds it there.
    reads: (m) => [`Answer to ${m}.`, `Looked for ${m}.`, /^Summarized \d+ messages|is already summarized/],
  },
  ...CONTROL_FLOWS,
];
