import { z } from "zod";
import { modelRefText, resolveModel } from "../../core/models.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { resetSession } from "../../store/steps/sessions/reset-session.ts";
import { archiveAfterOf } from "../../subagents/control.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

/** `/new [model] [message]` (TN-13): a fresh session id under the same key, and words that are no model are its first message. */
export const newSession = defineCommand({
  name: "new",
  group: "session",
  summary: sessionTexts.fresh.newSummary,
  arguments: [{ name: "model", description: sessionTexts.fresh.model, suggests: "model", rest: true }],
  input: z.object({ model: z.string().optional() }),
  role: "user",
  startsWork: (args) => args !== "",
  execute: async ({ model: text = "" }, context) => {
    const { model, words } = modelAndWords(text, context);
    const answer = await reset(model, context);
    return words === "" ? answer : { ...answer, words };
  },
});

export const resetCommand = defineCommand({
  name: "reset",
  group: "session",
  summary: sessionTexts.fresh.resetSummary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: (_args, context) => reset(undefined, context),
});

/** One word that is no model and like none is a message, and so are several that do not begin with a model. */
function modelAndWords(
  text: string,
  { services }: CommandContext,
): { readonly model: string | undefined; readonly words: string } {
  const [, first = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  if (first === "") return { model: undefined, words: "" };
  const resolved = resolveModel(services.settings, first);
  if (resolved.known) return { model: first, words: rest };
  const meantAsModel = rest === "" && (first.includes("/") || resolved.close.length > 0);
  return meantAsModel ? { model: first, words: "" } : { model: undefined, words: text };
}

async function reset(model: string | undefined, context: CommandContext): Promise<CommandAnswer> {
  const { services, sessionKey, sender, cause } = context;
  const resolved = model === undefined ? null : resolveModel(services.settings, model);
  if (resolved !== null && !resolved.known) {
    return { text: sessionTexts.fresh.unknownModel(model ?? "", resolved.close) };
  }
  const session = await services.store.read(sessionByKey, sessionKey);
  if (session === null) return { text: sessionTexts.fresh.already };
  const { killed } = await services.store.step(resetSession, {
    sessionKey,
    cause,
    actor: sender.id,
    archiveAfterMs: archiveAfterOf(services.settings, session.agentId),
    ...(resolved === null ? {} : { model: modelRefText(resolved.ref) }),
  });
  // Only what this reset ended: a turn after the reset may have started meanwhile.
  services.liveTurns.abort(killed.sessions, "stopped");
  const using = resolved === null ? null : modelRefText(resolved.ref);
  return { text: sessionTexts.fresh.started(using, killed.runs.length) };
}
