import { z } from "zod";
import { THINKING_LEVELS, USAGE_LINES } from "../../core/session/session.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/pin [on|off]` (CM-11), alone the other of the two: a pinned session is never archived by time, and lists can ask for it. */
export const pinCommand = defineCommand({
  name: "pin",
  group: "session",
  summary: sessionTexts.pin.summary,
  arguments: [{ name: "switch", description: sessionTexts.pin.switch, choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "admin",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    const value = wanted === undefined ? !session.pinned : wanted === "on";
    if (session.pinned === value) return { text: value ? sessionTexts.pin.already : sessionTexts.pin.not };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "pinned", value } });
    return { text: value ? sessionTexts.pin.on : sessionTexts.pin.off };
  },
});

/** `/archive` (CM-11): out of the lists, and nothing another session may write to, until a person writes here again. */
export const archiveCommand = defineCommand({
  name: "archive",
  group: "session",
  summary: sessionTexts.archive.summary,
  arguments: [],
  input: z.object({}),
  role: "admin",
  execute: async (_args, context) => {
    const { session } = await ownSession(context);
    if (session.archivedAt !== null) return { text: sessionTexts.archive.already };
    const setting = { name: "archived", value: true } as const;
    await context.services.store.step(setSessionSetting, { key: session.key, setting });
    return { text: sessionTexts.archive.done };
  },
});

export const unarchiveCommand = defineCommand({
  name: "unarchive",
  group: "session",
  summary: sessionTexts.archive.unarchiveSummary,
  arguments: [],
  input: z.object({}),
  role: "admin",
  execute: async (_args, context) => {
    const { session } = await ownSession(context);
    if (session.archivedAt === null) return { text: sessionTexts.archive.not };
    const setting = { name: "archived", value: false } as const;
    await context.services.store.step(setSessionSetting, { key: session.key, setting });
    return { text: sessionTexts.archive.restored };
  },
});

const CHOICES = [...THINKING_LEVELS, "default"] as const;

/**
 * `/think [level|default]`: how much the model thinks in this session. In front of a message it applies to that message only
 * (CM-7); then it is no command.
 */
export const think = defineCommand({
  name: "think",
  group: "model",
  summary: sessionTexts.think.summary,
  arguments: [{ name: "level", description: sessionTexts.think.level, choices: CHOICES }],
  input: z.object({ level: z.enum(CHOICES).optional() }),
  role: "user",
  execute: async ({ level }, context) => {
    const { session, agent } = await ownSession(context);
    const texts = sessionTexts.think;
    const ofAgent = agent.thinking ?? texts.modelDefault;
    if (level === undefined) {
      return { text: session.thinking === null ? texts.ofAgent(ofAgent) : texts.setHere(session.thinking) };
    }
    const value = level === "default" ? null : level;
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "thinking", value } });
    return {
      text: value === null ? texts.reset(ofAgent) : texts.set(value),
    };
  },
});

/** `/reasoning on|off`: whether people here see the model's reasoning above its answers (DL-10). */
export const reasoning = defineCommand({
  name: "reasoning",
  group: "model",
  summary: sessionTexts.reasoning.summary,
  arguments: [{ name: "switch", description: sessionTexts.shownOrHidden, choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined)
      return { text: session.showReasoning ? sessionTexts.reasoning.shown : sessionTexts.reasoning.hidden };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "reasoning", value } });
    return { text: value ? sessionTexts.reasoning.nowShown : sessionTexts.reasoning.nowHidden };
  },
});

/** `/verbose [on|off]` (CM-10): whether people here see the calls of tools as they run, and above the answer. */
export const verbose = defineCommand({
  name: "verbose",
  group: "model",
  summary: sessionTexts.verbose.summary,
  arguments: [{ name: "switch", description: sessionTexts.shownOrHidden, choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).optional() }),
  role: "user",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    if (wanted === undefined)
      return { text: session.verbose ? sessionTexts.verbose.shown : sessionTexts.verbose.hidden };
    const value = wanted === "on";
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "verbose", value } });
    return { text: value ? sessionTexts.verbose.nowShown : sessionTexts.verbose.nowHidden };
  },
});

/** `/usage [off|tokens|full]` (CM-10): the usage line below each reply here. */
export const usageCommand = defineCommand({
  name: "usage",
  group: "model",
  summary: sessionTexts.usage.summary,
  arguments: [{ name: "line", description: sessionTexts.usage.line, choices: USAGE_LINES }],
  input: z.object({ line: z.enum(USAGE_LINES).optional() }),
  role: "user",
  execute: async ({ line }, context) => {
    const { session } = await ownSession(context);
    if (line === undefined) return { text: sessionTexts.usage.is[session.usageLine] };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "usage", value: line } });
    return { text: sessionTexts.usage.is[line] };
  },
});
