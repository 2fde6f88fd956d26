import { z } from "zod";
import { modelRefText, resolveModel } from "../../core/models.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { resetSession } from "../../store/steps/sessions/reset-session.ts";
import { archiveAfterOf } from "../../subagents/control.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

/** `/new [model]` (TN-13): a fresh session id under the same key. */
export const newSession = defineCommand({
  name: "new",
  group: "session",
  summary: sessionTexts.fresh.newSummary,
  arguments: [{ name: "model", description: sessionTexts.fresh.model, suggests: "model" }],
  input: z.object({ model: z.string().optional() }),
  role: "user",
  execute: ({ model }, context) => reset(model, context),
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
  // Only what this reset ended: a turn of the new life may have begun meanwhile.
  services.liveTurns.abort(killed.sessions, "stopped");
  const using = resolved === null ? null : modelRefText(resolved.ref);
  return { text: sessionTexts.fresh.started(using, killed.runs.length) };
}
