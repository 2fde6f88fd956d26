import { didYouMean, type FaultText, IS_MISSING } from "./shape.ts";

/* What can be wrong with agents, models, tools, MCP servers, sessions, messages, limits, the store and the HTTP server. */

export function secondDefaultAgent(first: string): FaultText {
  return { problem: `"${first}" is already the default agent`, remedy: "Set default: true on one agent only." };
}

export const NO_DEFAULT_AGENT: FaultText = {
  problem: "no agent is the default",
  remedy: "Messages that no binding matches are refused. Set default: true on one agent.",
};

export const MODEL_MISSING: FaultText = {
  problem: IS_MISSING,
  remedy: 'Set a model as provider/model, such as "demo/switchyard".',
};

export function unknownTimeZone(written: string): FaultText {
  return { problem: `unknown time zone "${written}"`, remedy: 'Use a name such as "Europe/Vienna" or "UTC".' };
}

/** `written` undefined: `TZ` is not set, and the machine's own zone has no name. */
export function badTimeZone(written: string | undefined): FaultText {
  const remedy =
    'Set the environment variable TZ to a name such as "Europe/Vienna" or "UTC", or set agents.defaults.userTimezone.';
  if (written === undefined) return { problem: "the time zone of this machine has no name", remedy };
  const shown = written === "" ? "the environment variable is empty" : `"${written}" is not the name of a time zone`;
  return { problem: shown, remedy };
}

export function instructionsUnreadable(file: string, code: string): FaultText {
  return {
    problem: code === "ENOENT" ? `the file ${file} does not exist` : `the file ${file} cannot be read (${code})`,
    remedy: "Create it, or write the instructions here as text.",
  };
}

export const PROVIDER_TYPE_MISSING: FaultText = {
  problem: IS_MISSING,
  remedy: 'Set type: "openai", "anthropic", "google", "openai-compatible" or "demo".',
};

export const BASE_URL_MISSING: FaultText = {
  problem: IS_MISSING,
  remedy: 'Set the server\'s address, such as baseUrl: "http://127.0.0.1:11434/v1".',
};

export function apiKeyMissing(variable: string): FaultText {
  return { problem: IS_MISSING, remedy: `Set apiKey: "\${${variable}}", and set that variable.` };
}

export function notAModel(written: string, known: readonly string[]): FaultText {
  return { problem: `"${written}" is neither provider/model nor an alias`, remedy: didYouMean(written, known) };
}

export function unknownProvider(provider: string, known: readonly string[]): FaultText {
  return { problem: `unknown model provider "${provider}"`, remedy: didYouMean(provider, known) };
}

/** A well-known provider only has to be declared. */
export function undeclaredProvider(provider: string, variable: string): FaultText {
  return {
    problem: `unknown model provider "${provider}"`,
    remedy: `Set models.providers.${provider}: { type: "${provider}", apiKey: "\${${variable}}" }, and set that variable.`,
  };
}

export function noDemoModel(model: string, written: string): FaultText {
  return { problem: `the demo provider has no model "${model}"`, remedy: `Write "${written}".` };
}

export const ALLOW_AND_ALSO_ALLOW: FaultText = {
  problem: "allow and alsoAllow cannot be used together",
  remedy: "Use allow to narrow the profile, or alsoAllow to add to it.",
};

export function unknownTool(written: string, near: string | null): FaultText {
  return {
    problem: `no tool is called "${written}"`,
    remedy: near === null ? "It has no effect." : `Did you mean "${near}"?`,
  };
}

export function keyWithoutModel(key: string): FaultText {
  return { problem: `"${key}" does not include a model`, remedy: `Write "${key}/*" for all models of a provider.` };
}

export function badCallTime(written: string | number): FaultText {
  return {
    problem: `"${written}" is not a valid time limit for a call`,
    remedy: 'Use a duration such as "30s" or "5m".',
  };
}

export function badServerName(name: string, longest: number): FaultText {
  return {
    problem: `"${name}" is not a valid server name: __ separates it from the names of its tools`,
    remedy: `Use at most ${longest} characters, without __ and without _ at the end.`,
  };
}

export function serverKeyMisplaced(belongs: "command" | "url"): FaultText {
  return { problem: `can only be used with ${belongs}`, remedy: "Remove it." };
}

export function serverTransport(has: "neither" | "both"): FaultText {
  return {
    problem: has === "neither" ? "has neither command nor url" : "has both command and url",
    remedy: "Set command to start a program, or url to use a server that is already running.",
  };
}

export const BAD_SERVER_URL: FaultText = {
  problem: "is not a web address",
  remedy: 'Use an address such as "https://tools.example.org/mcp".',
};

export function unusedServer(name: string): FaultText {
  return {
    problem: "no agent can use its tools",
    remedy: `Add "${name}__*" or "group:mcp" to tools.alsoAllow, for all agents or for one.`,
  };
}

export function badPattern(source: string, reason: string): FaultText {
  return {
    problem: `the pattern ${JSON.stringify(source)} ${reason}`,
    remedy: 'Use a simple one, such as "\\\\bswitchy\\\\b".',
  };
}

export function badDuration(written: string | number): FaultText {
  return {
    problem: `"${written}" is not a duration`,
    remedy: 'Use a duration such as "15m", "2h", "90s" or "30d", or a number of milliseconds.',
  };
}

export function keptTooShort(days: number): FaultText {
  return {
    problem: `is shorter than ${days} ${days === 1 ? "day" : "days"}`,
    remedy: `Use at least "${days}d".`,
  };
}

export const RULE_MATCHES_ALL: FaultText = {
  problem: "matches every session",
  remedy: "Use sendPolicy.default instead.",
};

export function unusedResetKey(mode: string, needed: string): FaultText {
  return { problem: `has no effect with mode "${mode}"`, remedy: `Set mode: "${needed}", or remove it.` };
}

export function unpricedModels(models: readonly string[]): FaultText {
  return {
    problem: `does not count models without a price: ${models.join(", ")}`,
    remedy: `Set models.providers.<provider>.models["<model>"].price: { input, output } per million tokens, or limit tokens instead.`,
  };
}

export const POSTGRES_NOT_YET: FaultText = {
  problem: "not available yet: PostgreSQL",
  remedy: 'Use "sqlite:./data/switchyard.db".',
};

export const BAD_STORE_URL: FaultText = {
  problem: "is not a valid store address",
  remedy: 'Use "sqlite:" and a file, such as "sqlite:./data/switchyard.db".',
};

export function tokenMissing(host: string): FaultText {
  return {
    problem: `${IS_MISSING}, but ${host} can be reached from other machines`,
    remedy: `Set token: "\${SWITCHYARD_TOKEN}" and set that variable, or use host: "127.0.0.1".`,
  };
}

/** What is wrong with a pattern (IN-7); `badPattern` puts the pattern before it. */
export const patternProblem = {
  tooLong: (most: number): string => `is longer than ${most} characters`,
  notRe2: (why: string): string => `is not a valid RE2 regular expression: ${why}`,
  tooLarge: "has too many repetitions",
  matchesEverything: "matches an empty text, so it would match every message",
};
