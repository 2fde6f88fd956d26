import { z } from "zod";
import {
  channelQueue,
  MAX_QUEUE_CAP,
  MAX_QUIET_MS,
  QUEUE_DROPS,
  QUEUE_MODES,
  type QueueOverride,
  type QueueSettings,
  queueWith,
} from "../../core/message/turn-inputs.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { readDuration } from "../../core/time.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/**
 * `/queue [mode] [debounce:…] [cap:…] [drop:…] | default`: how messages that come during a turn wait in this session (TN-3).
 * What is not named keeps what was set before.
 */
export const queueCommand = defineCommand({
  name: "queue",
  group: "session",
  summary: sessionTexts.queue.summary,
  arguments: [
    {
      name: "settings",
      description: sessionTexts.queue.settings(QUEUE_MODES.join(", "), QUEUE_DROPS.join("|")),
      rest: true,
    },
  ],
  input: z.object({ settings: z.string().optional() }),
  role: "user",
  execute: async ({ settings: written }, context) => {
    const { session } = await ownSession(context);
    const configured = channelQueue(context.services.settings.messages.queue, context.route.channel);
    if (written === undefined) return { text: queueText(queueWith(configured, session.queue), session.queue) };
    const parsed = parseQueue(written);
    if (typeof parsed === "string") return { text: parsed, private: true };
    const value = parsed === null ? null : { ...session.queue, ...parsed };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "queue", value } });
    return { text: queueText(queueWith(configured, value), value) };
  },
});

function queueText({ mode, cap, drop, quietMs }: QueueSettings, override: QueueOverride | null): string {
  const { is, asConfigured, setHere } = sessionTexts.queue;
  const facts = is(mode, { cap, drop, quietMs: mode === "collect" ? quietMs : null });
  return `${facts} ${override === null ? asConfigured : setHere}`;
}

/** null: back to the configuration; a text: what is wrong. */
function parseQueue(written: string): QueueOverride | null | string {
  const words = written.trim().toLowerCase().split(/\s+/);
  if (words.length === 1 && words[0] === "default") return null;
  let override: QueueOverride = {};
  for (const word of words) {
    const one = parseWord(word);
    if (typeof one === "string") return one;
    override = { ...override, ...one };
  }
  return override;
}

function parseWord(word: string): QueueOverride | string {
  const mode = QUEUE_MODES.find((known) => known === word);
  if (mode !== undefined) return { mode };
  const [name = "", value = ""] = word.split(":", 2);
  switch (name) {
    case "cap": {
      const cap = Number(value);
      return Number.isInteger(cap) && cap >= 1 && cap <= MAX_QUEUE_CAP
        ? { cap }
        : sessionTexts.queue.badCap(MAX_QUEUE_CAP);
    }
    case "drop": {
      const drop = QUEUE_DROPS.find((known) => known === value);
      return drop === undefined ? sessionTexts.queue.badDrop(QUEUE_DROPS.join(", ")) : { drop };
    }
    case "debounce": {
      const quietMs = /^\d+$/.test(value) ? Number(value) : readDuration(value);
      return quietMs !== null && quietMs <= MAX_QUIET_MS ? { quietMs } : sessionTexts.queue.badDebounce;
    }
    default:
      return sessionTexts.queue.unknown(word.slice(0, 40), QUEUE_MODES.join(", "));
  }
}
