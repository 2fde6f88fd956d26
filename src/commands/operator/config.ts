import { z } from "zod";
import type { ConfigChange, ConfigEditor } from "../../core/config-editor.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

const ACTIONS = ["show", "get", "set", "add", "unset"] as const;

/** `/config show | get <path> | set <path> <value> | add <path> <value> | unset <path>` (CM-15). */
export const configCommand = defineCommand({
  name: "config",
  group: "administration",
  summary: "Look at or change the configuration file",
  arguments: [
    { name: "action", description: "what to do", choices: ACTIONS },
    { name: "path", description: "such as agents.defaults.model" },
    { name: "value", description: "JSON5, or one bare word", rest: true },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("show"),
    path: z.string().optional(),
    value: z.string().optional(),
  }),
  role: "owner",
  execute: async (args, context) => ({ text: await carryOut(args, context), private: true }),
});

interface Asked {
  readonly action: (typeof ACTIONS)[number];
  readonly path?: string | undefined;
  readonly value?: string | undefined;
}

async function carryOut({ action, path, value }: Asked, { services, inPrivate }: CommandContext): Promise<string> {
  const { configFile, settings } = services;
  if (!settings.commands.config) {
    return "Changing the configuration by command is off; `commands: { config: true }` in the configuration file turns it on.";
  }
  if (configFile === null) return "There is no configuration file; the built-in defaults hold.";
  if (!inPrivate) return "Others read along here. Write /config to me directly.";
  switch (action) {
    case "show":
      return show(path ?? "", configFile);
    case "get":
      return path === undefined ? usageOf("get <path>") : show(path, configFile);
    case "set":
      if (path === undefined || value === undefined) return usageOf("set <path> <value>");
      return changeText(path, await configFile.set(path, value));
    case "add":
      if (path === undefined || value === undefined) return usageOf("add <path> <value>");
      return changeText(path, await configFile.add(path, value));
    case "unset":
      if (path === undefined || value !== undefined) return usageOf("unset <path>");
      return changeText(path, await configFile.unset(path), "taken out");
  }
}

function usageOf(form: string): CommandAnswer["text"] {
  return `Usage: /config ${form}`;
}

async function show(path: string, file: ConfigEditor): Promise<string> {
  const value = await file.get(path);
  if (value.found) return `\`\`\`json5\n${value.text}\n\`\`\``;
  return value.problem === null ? `Nothing is set at \`${path}\`; its default holds.` : `${value.problem}.`;
}

function changeText(path: string, change: ConfigChange, done: "written" | "taken out" = "written"): string {
  if (!change.changed) return ["Nothing was changed.", ...change.problems.map((problem) => `- ${problem}`)].join("\n");
  const { needRestart } = change;
  if (needRestart.length === 0) {
    return `\`${path}\` is ${done}${done === "written" ? " and" : "; its default"} holds from now on.`;
  }
  return `\`${path}\` is ${done}. Only a restart applies what differs in: ${needRestart.join(", ")}. /restart does it.`;
}
