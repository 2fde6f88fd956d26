import { z } from "zod";
import { modelRefText, modelsOf } from "../../core/models.ts";
import { nearestNames } from "../../core/nearest.ts";
import { learntInList, leftOutForModel } from "../../core/texts/agent/learnt.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionModel } from "../../sessions/session-model.ts";
import { allLearntQuirks } from "../../store/reads/upkeep/learnt-quirks.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/models [provider]`: every model that can be named here, by provider, with the aliases. The demo is offered only where an agent uses it (FC-339). */
export const models = defineCommand({
  name: "models",
  group: "model",
  summary: sessionTexts.models.summary,
  arguments: [{ name: "provider", description: sessionTexts.models.provider }],
  input: z.object({ provider: z.string().optional() }),
  role: "user",
  execute: async ({ provider }, context) => ({ text: await modelList(provider ?? null, context) }),
});

/** `provider`: null for all. */
export async function modelList(provider: string | null, context: CommandContext): Promise<string> {
  const { settings } = context.services;
  const { session, agent } = await ownSession(context);
  const inUse = modelRefText(sessionModel(settings, agent, session));
  const offered = [...settings.models.providers.values()].filter(
    ({ id, type }) => type !== "demo" || modelsOf(settings, id).models.length > 0 || inUse.startsWith(`${id}/`),
  );
  const ids = offered.map(({ id }) => id).filter((id) => provider === null || id === provider);
  if (ids.length === 0) {
    const close = nearestNames(
      provider ?? "",
      offered.map(({ id }) => id),
    );
    return sessionTexts.models.unknownProvider(provider ?? "", close);
  }
  const aliases = [...settings.models.aliases].filter(([, ref]) => ids.includes(ref.provider));
  const now = context.services.clock.now();
  const learnt = new Map(
    (await context.services.store.read(allLearntQuirks, undefined))
      .filter((row) => row.learnt.until > now)
      .map((row) => [row.model, ` (${learntInList(leftOutForModel(row.learnt))})`]),
  );
  const parts = ids.map((id) => {
    const { models: known, open } = modelsOf(settings, id);
    const lines = known.map(
      (name) =>
        `- \`${id}/${name}\`${`${id}/${name}` === inUse ? sessionTexts.models.inUse : ""}${learnt.get(`${id}/${name}`) ?? ""}`,
    );
    const any = open ? [sessionTexts.models.anyOther(id)] : [];
    return [`**${id}**`, ...lines, ...any].join("\n");
  });
  const named = aliases.map(([alias, ref]) => `- ${alias}: \`${modelRefText(ref)}\``);
  return [...parts, ...(named.length === 0 ? [] : [[sessionTexts.models.aliases, ...named].join("\n")])].join("\n\n");
}
