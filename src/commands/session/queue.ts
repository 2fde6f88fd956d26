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
  summary: "What becomes of messages that come while I work",
  arguments: [
    {
      name: "settings",
      description: `${QUEUE_MODES.join(", ")} or default; debounce:500ms, cap:20, drop:${QUEUE_DROPS.join("|")}`,
      rest: true,
    },
  ],
  input: z.object({ settings: z.string().optional() }),
  role: "user",
  execute: async ({ settings: written }, context) => {
    const { session } = await ownSession(context);
    const configured = channelQueue(context.services.settings.messages.queue, context.route.channel);
    if (written === undefined) return { text: `${shown(queueWith(configured, session.queue), session.queue)}.` };
    const parsed = parseQueue(written);
    if (typeof parsed === "string") return { text: parsed, private: true };
    const value = parsed === null ? null : { ...session.queue, ...parsed };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "queue", value } });
    return { text: `${shown(queueWith(configured, value), value)} from now on.` };
  },
});

function shown(queue: QueueSettings, override: QueueOverride | null): string {
  const where = override === null ? "as configured" : "set here";
  const quiet = queue.mode === "collect" ? `, debounce ${queue.quietMs} ms` : "";
  return `Queue (${where}): ${queue.mode}${quiet}, cap ${queue.cap}, drop ${queue.drop}`;
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
        : `cap is a whole number from 1 to ${MAX_QUEUE_CAP}.`;
    }
    case "drop": {
      const drop = QUEUE_DROPS.find((known) => known === value);
      return drop === undefined ? `drop is one of: ${QUEUE_DROPS.join(", ")}.` : { drop };
    }
    case "debounce": {
      const quietMs = /^\d+$/.test(value) ? Number(value) : readDuration(value);
      return quietMs !== null && quietMs <= MAX_QUIET_MS ? { quietMs } : "debounce is a time up to 60s, such as 500ms.";
    }
    default:
      return `"${word.slice(0, 40)}" is not known. Modes: ${QUEUE_MODES.join(", ")}, default; also debounce:, cap: and drop:.`;
  }
}
