import type { Settings } from "../../src/core/settings.ts";
import { normaliseAccounts } from "../sections/accounts.ts";
import { normaliseAgents } from "../sections/agents.ts";
import { normaliseBindings } from "../sections/bindings.ts";
import { normaliseCommands } from "../sections/commands.ts";
import type { NormaliseContext } from "../sections/context.ts";
import { normaliseHttp } from "../sections/http.ts";
import { normaliseLimits } from "../sections/limits.ts";
import { normaliseMcp, warnUnusedServers } from "../sections/mcp.ts";
import { normaliseCatchUp, normaliseMessages } from "../sections/messages.ts";
import { normaliseModels } from "../sections/models.ts";
import { normaliseSession, warnSharedMain } from "../sections/session.ts";
import { normaliseRetention, normaliseStore } from "../sections/store.ts";
import { normaliseTools } from "../sections/tools.ts";
import type { ConfigFile } from "./schema.ts";

/** The checked file as the product uses it. Faults that need more than one key to see are reported on the way. */
export function normalise(file: ConfigFile, context: NormaliseContext, secrets: readonly string[]): Settings {
  const models = normaliseModels(file.models, context.findings);
  const session = normaliseSession(context, file.session);
  const accounts = normaliseAccounts(context, file.channels, session.threadBindings);
  warnSharedMain(context, session, accounts);
  const agents = normaliseAgents(context, file.agents, models);
  const tools = normaliseTools(context, file.tools, models.providers);
  const servers = normaliseMcp(context, file.mcp);
  warnUnusedServers(context, servers, [tools.global, ...[...agents.agents.values()].map((agent) => agent.tools)]);
  return {
    store: normaliseStore(file.store, context),
    retention: normaliseRetention(context, file.store),
    http: normaliseHttp(file.http, context.findings),
    logging: { level: file.logging?.level ?? "info", content: file.logging?.content ?? false },
    models,
    ...agents,
    tools,
    mcp: { servers },
    session,
    messages: normaliseMessages(context, file.messages),
    delivery: { onUnconfirmed: file.delivery?.onUnconfirmed ?? "resend", maxChunks: file.delivery?.maxChunks ?? 8 },
    catchUpMaxAgeMs: normaliseCatchUp(context, file.catchUp),
    commands: normaliseCommands(context, file.commands),
    limits: normaliseLimits(file.limits, { agents: agents.agents, models }, context.findings),
    media: { maxBytes: file.media?.maxBytes ?? 20_971_520 },
    bindings: normaliseBindings(context, file.bindings, accounts),
    accounts,
    secrets,
  };
}
