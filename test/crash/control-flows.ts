import { chainNotice, INPUT_PARKED } from "../../src/core/texts/chat/completion-text.ts";
import { answer, call, delay, say, text, toolCall } from "../support/emulators/model/index.ts";
import type { Asked, Flow } from "./flow.ts";
import { FAREWELL, LINK, OPENING } from "./stage.ts";

/** Longer than a busy machine needs to restart and to catch up with a missed stop; longer than a case waits for its end. */
const ENDLESS_MS = 120_000;

const CHAINS = { maxTurns: 100, maxModelCalls: 20, maxTokens: 0 };

const inThread = (text: string): string => `thread: ${text}`;

const begins =
  (input: (mark: string) => { readonly [field: string]: string | number }) =>
  ({ done, mark }: Asked) =>
    done === 0 ? call("sessions_spawn", { ...input(mark), label: `sub-agent ${mark}` }) : say(`Started for ${mark}.`);

/** What people and clocks do to work that goes on. */
export const CONTROL_FLOWS: readonly Flow[] = [
  {
    name: "stop",
    does: async (place, m) => {
      await place.says(`endless ${m}`);
      await place.says(`${place.sigil}stop`);
    },
    model: { endless: ({ mark }) => answer(delay(ENDLESS_MS), text(`Never for ${mark}.`)) },
    // A command that died after it had stopped everything finds nothing to stop.
    reads: () => [/^Stopped|^Nothing was running/],
  },
  {
    name: "new session",
    does: async (place, m) => {
      await place.says(`plain ${m}`);
      await place.reads(`Answer to ${m}.`);
      await place.says(`${place.sigil}new`);
      await place.says(`tool ${m}`);
    },
    reads: (m) => [`Answer to ${m}.`, "Started a fresh session.", `Looked for ${m}.`],
  },
  {
    name: "sub-agent killed",
    does: async (place, m) => {
      await place.says(`doomed ${m}`);
      await place.reads(`Started for ${m}.`);
      await place.says(`${place.sigil}kill last`);
    },
    model: { doomed: begins((mark) => ({ task: `endless ${mark}` })) },
    reads: (m) => [`Started for ${m}.`, /was stopped by you|had already ended/, `Sub-agent for ${m}: killed.`],
  },
  {
    name: "sub-agent steered",
    does: async (place, m) => {
      await place.says(`guided ${m}`);
      await place.reads(new RegExp(`(Started for|Result of) ${m}\\.`));
      await place.says(`${place.sigil}steer last work ${m}`);
    },
    model: {
      guided: begins((mark) => ({ task: `slowly ${mark}` })),
      slowly: ({ done, mark }) =>
        done === 0 ? answer(delay(700), toolCall("session_status", {})) : say(`Result of ${mark}.`),
    },
    reads: (m) => [/receives this at its next step|had ended|is over/, `Sub-agent says: Result of ${m}.`],
    mayRead: (m) => [`Started for ${m}.`],
  },
  {
    name: "sub-agent out of time",
    does: (place, m) => place.says(`overdue ${m}`),
    model: {
      overdue: begins((mark) => ({ task: `endless ${mark}`, runTimeoutSeconds: 1 })),
      ended: ({ mark, input }) => say(`Sub-agent for ${mark}: ${/: (\w+)\]/.exec(input)?.[1]}.`),
    },
    reads: (m) => [`Sub-agent for ${m}: timeout.`],
    mayRead: (m) => [`Started for ${m}.`],
  },
  {
    name: "send with a late reply",
    beside: true,
    does: (place, m) => place.says(`Ask ${place.beside().session}: hurry ${m}`),
    model: {
      hurry: ({ done, input, mark }) => {
        const [, sessionKey = ""] = /Ask (\S+): /.exec(input) ?? [];
        return done === 0
          ? call("sessions_send", { sessionKey, message: `later ${mark}`, timeoutSeconds: 0.3 })
          : say(`Not yet for ${mark}.`);
      },
      later: ({ mark }) => answer(delay(900), text(`came ${mark}`)),
      came: ({ mark }) => say(`It came for ${mark}.`),
    },
    reads: (m) => [`Not yet for ${m}.`, `It came for ${m}.`, `beside: Announced for ${m}.`],
  },
  {
    name: "focus and unfocus",
    where: "room",
    // On Slack each mention in a channel begins a conversation of its own; on Discord the thread hangs on its opening line.
    channels: ["telegram", "web"],
    does: async (place, m) => {
      await place.says(`spawn ${m}`);
      await place.reads(`Sub-agent says: Result of ${m}.`);
      await place.says(`${place.sigil}focus last`);
      await place.reads(inThread(OPENING));
      await place.saysInThread(`plain ${m}`);
      await place.reads(inThread(`Answer to ${m}.`));
      await place.saysInThread(`${place.sigil}unfocus`);
    },
    reads: (m) => [
      `Sub-agent says: Result of ${m}.`,
      /A new thread for/,
      ...[OPENING, `Answer to ${m}.`, FAREWELL].map(inThread),
    ],
    mayRead: (m) => [`Started for ${m}.`, LINK],
  },
  {
    name: "chain at its end",
    does: (place, m) => place.says(`circle ${m}`),
    model: {
      circle: begins((mark) => ({ task: `spin ${mark}` })),
      // Never the same call, or the turn would end for that.
      spin: ({ done }) => call("sessions_list", { limit: done + 1 }),
    },
    reads: () => [chainNotice("session.chains.maxModelCalls", CHAINS).plain],
    mayRead: (m) => [`Started for ${m}.`],
  },
  {
    name: "message that cannot be read",
    does: async (place, m) => {
      place.spoils("spoil");
      // A turn that runs meanwhile goes on.
      await place.says(`steer ${m}`);
      await place.says(`spoil ${m}`);
      await place.says(`plain ${m}`);
    },
    reads: (m) => [INPUT_PARKED.plain, `Answer to ${m}.`],
    mayRead: (m) => [`Without more for ${m}.`],
  },
];
