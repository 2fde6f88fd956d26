import { z } from "zod";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/pin [on|off]` (CM-11): a pinned session is never archived by time, and lists can ask for it. */
export const pinCommand = defineCommand({
  name: "pin",
  group: "session",
  summary: "Pin this session, or take the pin off",
  arguments: [{ name: "switch", description: "off takes the pin off", choices: ["on", "off"] }],
  input: z.object({ switch: z.enum(["on", "off"]).default("on") }),
  role: "admin",
  execute: async ({ switch: wanted }, context) => {
    const { session } = await ownSession(context);
    const value = wanted === "on";
    if (session.pinned === value)
      return { text: value ? "This session is pinned already." : "This session is not pinned." };
    await context.services.store.step(setSessionSetting, { key: session.key, setting: { name: "pinned", value } });
    return { text: value ? "This session is pinned." : "This session is not pinned any more." };
  },
});

/** `/archive` (CM-11): out of the lists, and nothing another session may write to, until a person writes here again. */
export const archiveCommand = defineCommand({
  name: "archive",
  group: "session",
  summary: "Put this session away until somebody writes here again",
  arguments: [],
  input: z.object({}),
  role: "admin",
  execute: async (_args, context) => {
    const { session } = await ownSession(context);
    if (session.archivedAt !== null) return { text: "This session is archived already." };
    const setting = { name: "archived", value: true } as const;
    await context.services.store.step(setSessionSetting, { key: session.key, setting });
    return { text: "This session is archived. The next message here, or /unarchive, brings it back." };
  },
});

export const unarchiveCommand = defineCommand({
  name: "unarchive",
  group: "session",
  summary: "Bring this session back from the archive",
  arguments: [],
  input: z.object({}),
  role: "admin",
  execute: async (_args, context) => {
    const { session } = await ownSession(context);
    if (session.archivedAt === null) return { text: "This session is not archived." };
    const setting = { name: "archived", value: false } as const;
    await context.services.store.step(setSessionSetting, { key: session.key, setting });
    return { text: "This session is back from the archive." };
  },
});
