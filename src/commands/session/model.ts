import { z } from "zod";
import { modelRefText, resolveModel } from "../../core/models.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionModelOf } from "../../sessions/session-model.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { modelList } from "./models.ts";
import { ownSession } from "./own-session.ts";

/** `/model [ref|default|list|status]`: this session's model override, and nobody else's (ST-31). Set by admins only in groups. */
export const model = defineCommand({
  name: "model",
  group: "model",
  summary: sessionTexts.model.summary,
  arguments: [{ name: "model", description: sessionTexts.model.argument, suggests: "model" }],
  input: z.object({ model: z.string().optional() }),
  role: "user",
  execute: async ({ model: wanted = "status" }, context) => {
    switch (wanted.toLowerCase()) {
      case "status":
        return { text: await current(context) };
      case "list":
        return { text: await modelList(null, context) };
      case "default":
        return set(null, context);
      default:
        return setTo(wanted, context);
    }
  },
});

async function current(context: CommandContext): Promise<string> {
  const { session, agent } = await ownSession(context);
  const { ref, because } = sessionModelOf(context.services.settings, agent, session);
  const { is, lost, ...texts } = sessionTexts.model;
  const inUse = is(modelRefText(ref), texts[because]);
  return session.modelOverride === null || because === "override" ? inUse : `${inUse} ${lost(session.modelOverride)}`;
}

async function setTo(wanted: string, context: CommandContext): Promise<CommandAnswer> {
  const resolved = resolveModel(context.services.settings, wanted);
  if (resolved.known) return set(modelRefText(resolved.ref), context);
  const { unknown, unknownClose } = sessionTexts.model;
  const text = resolved.close.length === 0 ? unknown(wanted) : unknownClose(wanted, resolved.close);
  return { text, private: true };
}

async function set(ref: string | null, context: CommandContext): Promise<CommandAnswer> {
  const { services, rights, inGroup, sessionKey: key } = context;
  if (inGroup && !roleAtLeast(rights.role, "admin")) {
    return { text: sessionTexts.model.adminsOnly, private: true, refused: true };
  }
  await services.store.step(setSessionSetting, { key, setting: { name: "model", value: ref } });
  return { text: ref === null ? `${sessionTexts.model.reset} ${await current(context)}` : await current(context) };
}
