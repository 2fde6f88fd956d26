import type { Bot } from "../support/emulators/telegram/accounts.ts";
import type { Conversation } from "../support/emulators/telegram/conversation.ts";
import type { TelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import { AGENTS, type AgentName } from "./policy.ts";
import { type Random, random } from "./random.ts";

/** Share of people among the sessions; the others are spawned. */
const PEOPLE_SHARE = 0.6;
const COMMAND_SHARE = 0.15;
const COMMANDS = [
  "/new",
  "/reset",
  "/stop",
  "/kill all",
  "/kill last",
  "/steer last look there too",
  "/subagents list",
  "/subagents spawn --label byhand work on this",
  "/queue followup",
  "/queue interrupt",
  "/queue steer",
];

/** People who write to the bots, one conversation each, in an order the seed decides. */
export interface People {
  /** One more message of somebody; `onlyNew`: of somebody who has not written yet, nothing when all have. */
  write(onlyNew: boolean): void;
  /** The marks of all messages that were no commands. */
  readonly marks: readonly string[];
  /** How many commands were written. */
  readonly commands: number;
  readonly hasNew: boolean;
}

export function people(
  telegram: TelegramEmulator,
  given: { readonly seed: number; readonly sessions: number; readonly bots: Readonly<Record<AgentName, Bot>> },
): People {
  const dice = random(given.seed, "people");
  const most = Math.max(AGENTS.length, Math.round(given.sessions * PEOPLE_SHARE));
  const talks: Conversation[] = [];
  const marks: string[] = [];
  const counts = { commands: 0 };

  const newcomer = (): Conversation => {
    const agent = AGENTS[talks.length % AGENTS.length] ?? "own";
    const talk = telegram.user({ name: `Person ${talks.length}` }).dm(given.bots[agent]);
    talks.push(talk);
    return talk;
  };

  return {
    marks,
    get commands() {
      return counts.commands;
    },
    get hasNew() {
      return talks.length < most;
    },
    write(onlyNew) {
      const wantsNew = onlyNew || talks.length === 0 || dice.chance(0.4);
      if (onlyNew && talks.length >= most) return;
      const isNew = wantsNew && talks.length < most;
      const talk = isNew ? newcomer() : dice.pick(talks);
      if (talk === undefined) return;
      if (!isNew && dice.chance(COMMAND_SHARE)) {
        counts.commands += 1;
        talk.says(dice.pick(COMMANDS) ?? "/stop");
        return;
      }
      const mark = `m${marks.length + 1}.`;
      marks.push(mark);
      talk.says(`${opening(dice)} ${mark}`);
    },
  };
}

function opening(dice: Random): string {
  return dice.pick(["work on this:", "please look at", "go on with", "what about"]) ?? "please look at";
}
