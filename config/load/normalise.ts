import { dirname, resolve } from "node:path";
import type { Settings } from "../../src/core/settings.ts";
import { normaliseAccounts } from "../sections/accounts.ts";
import { normaliseAgents } from "../sections/agents.ts";
import { normaliseBindings } from "../sections/bindings.ts";
import type { NormaliseContext } from "../sections/context.ts";
import { normaliseLimits } from "../sections/limits.ts";
import { normaliseMcp, warnUnusedServers } from "../sections/mcp.ts";
import { normaliseCatchUp, normaliseCommands, normaliseMessages, normaliseSession } from "../sections/messages.ts";
import { normaliseModels } from "../sections/models.ts";
import { normaliseRetention } from "../sections/store.ts";
import { normaliseTools } from "../sections/tools.ts";
import type { Findings } from "./findings.ts";
import type { ConfigFile } from "./schema.ts";

/** The checked file as the product uses it. Faults that need more than one key to see are reported on the way. */
export function normalise(file: ConfigFile, context: NormaliseContext, secrets: readonly string[]): Settings {
  const models = normaliseModels(file.models, context.findings);
  const session = normaliseSession(context, file.session);
  const accounts = normaliseAccounts(context, file.channels, session.threadBindings);
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

const SQLITE = "sqlite:";

/** The data folder is the one of the SQLite file; a relative path starts from the configuration file's folder. */
function normaliseStore(section: ConfigFile["store"], context: NormaliseContext): Settings["store"] {
  const written = section?.url ?? "sqlite:./data/switchyard.db";
  const path = ["store", "url"];
  if (/^postgres(ql)?:\/\//.test(written)) {
    context.findings.fault(path, "not available yet: PostgreSQL", 'Write "sqlite:./data/switchyard.db".');
  } else if (!written.startsWith(SQLITE) || written.length === SQLITE.length) {
    context.findings.fault(
      path,
      "is not the address of a store",
      'Write "sqlite:" and a file, such as "sqlite:./data/switchyard.db".',
    );
  }
  const file = resolve(
    context.baseDir,
    written.startsWith(SQLITE) ? written.slice(SQLITE.length) : "data/switchyard.db",
  );
  return { url: `${SQLITE}${file}`, dataDir: dirname(file) };
}

/** OP-6: nobody reaches the page from another machine without a token. */
function normaliseHttp(section: ConfigFile["http"], findings: Findings): Settings["http"] {
  const host = section?.host ?? "127.0.0.1";
  const token = section?.token ?? null;
  if (!isLoopback(host) && token === null) {
    findings.fault(
      ["http", "token"],
      `is missing, but ${host} can be reached from other machines`,
      `Write token: "\${SWITCHYARD_TOKEN}" and set that variable, or use host: "127.0.0.1".`,
    );
  }
  return { host, port: section?.port ?? 4180, token };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
