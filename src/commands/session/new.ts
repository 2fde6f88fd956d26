import { z } from "zod";
import { modelRefText, resolveModel } from "../../core/models.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { resetSession } from "../../store/steps/sessions/reset-session.ts";
import { archiveAfterOf } from "../../subagents/control.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

/** `/new [model]` (TN-13): a fresh session id under the same key. */
export const newSession = defineCommand({
  name: "new",
  group: "session",
  summary: "Start a fresh session, with another model if you name one",
  arguments: [{ name: "model", description: "provider/model or an alias", suggests: "model" }],
  input: z.object({ model: z.string().optional() }),
  role: "user",
  execute: ({ model }, context) => reset(model, context),
});

export const resetCommand = defineCommand({
  name: "reset",
  group: "session",
  summary: "Start a fresh session",
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: (_args, context) => reset(undefined, context),
});

async function reset(model: string | undefined, context: CommandContext): Promise<CommandAnswer> {
  const { services, sessionKey, sender, cause } = context;
  const resolved = model === undefined ? null : resolveModel(services.settings, model);
  if (resolved !== null && !resolved.known) {
    const close = resolved.close.length === 0 ? "" : ` Did you mean ${resolved.close.join(" or ")}?`;
    return { text: `There is no model "${model}".${close} Nothing was reset.` };
  }
  const session = await services.store.read(sessionByKey, sessionKey);
  if (session === null) return { text: "This is a fresh session already." };
  const { killed } = await services.store.step(resetSession, {
    sessionKey,
    cause,
    actor: sender.id,
    archiveAfterMs: archiveAfterOf(services.settings, session.agentId),
    ...(resolved === null ? {} : { model: modelRefText(resolved.ref) }),
  });
  // Only what this reset ended: a turn of the new life may have begun meanwhile.
  services.liveTurns.abort(killed.sessions, "stopped");
  const helpers = killed.runs.length === 0 ? "" : ` Helpers ended: ${killed.runs.length}.`;
  const using = resolved === null ? "" : ` Model: ${modelRefText(resolved.ref)}.`;
  return { text: `Started a fresh session.${using}${helpers}` };
}
