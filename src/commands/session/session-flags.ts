import { z } from "zod";
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
