import { z } from "zod";
import { modelRefText, resolveModel } from "../../core/models.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import { sessionModelOf } from "../../sessions/session-model.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { modelList } from "./models.ts";
import { ownSession } from "./own-session.ts";

/** `/model [ref|default|list|status]`: this session's model override, and nobody else's (ST-31). Set by admins only in groups. */
export const model = defineCommand({
  name: "model",
  group: "model",
  summary: "Show or set the model of this session",
  arguments: [{ name: "model", description: "provider/model or an alias; default, list or status", suggests: "model" }],
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

const WHY = { override: "set for this session", agent: "the agent's", default: "the default" } as const;

async function current(context: CommandContext): Promise<string> {
  const { session, agent } = await ownSession(context);
  const { ref, because } = sessionModelOf(context.services.settings, agent, session);
  const lost =
    session.modelOverride !== null && because !== "override"
      ? ` The model set here, \`${session.modelOverride}\`, is not configured any more.`
      : "";
  return `Model: \`${modelRefText(ref)}\` (${WHY[because]}).${lost}`;
}

async function setTo(wanted: string, context: CommandContext): Promise<CommandAnswer> {
  const resolved = resolveModel(context.services.settings, wanted);
  if (resolved.known) return set(modelRefText(resolved.ref), context);
  const close = resolved.close.map((name) => `\`${name}\``).join(" or ");
  const hint = close === "" ? "`/models` lists what there is." : `Did you mean ${close}?`;
  return { text: `There is no model "${wanted}". ${hint}`, private: true };
}

async function set(ref: string | null, context: CommandContext): Promise<CommandAnswer> {
  const { services, rights, inGroup, sessionKey: key } = context;
  if (inGroup && !roleAtLeast(rights.role, "admin")) {
    const text = "Setting the model in a group is for admins; you are not in commands.adminAllowFrom.";
    return { text, private: true, refused: true };
  }
  await services.store.step(setSessionSetting, { key, setting: { name: "model", value: ref } });
  return { text: ref === null ? `Back to the agent's own. ${await current(context)}` : await current(context) };
}
