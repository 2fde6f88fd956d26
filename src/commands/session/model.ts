import { z } from "zod";
import { modelRefText, modelsOf, resolveModel } from "../../core/models.ts";
import { nearestNames } from "../../core/nearest.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import { learntInList, leftOutForModel } from "../../core/texts/agent/wire.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionModel, sessionModelOf } from "../../sessions/context-window.ts";
import { allLearntQuirks } from "../../store/reads/upkeep/learnt-quirks.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/model [ref|default|list|status]`: this session's model override (ST-31). Only admins can set it in groups. */
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
