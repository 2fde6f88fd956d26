import { z } from "zod";
import type { ConfigChange, ConfigEditor } from "../../core/config-editor.ts";
import { operatorTexts } from "../../core/texts/commands/operator.ts";
import { type CommandContext, defineCommand } from "../command.ts";

const texts = operatorTexts.config;
const ACTIONS = ["show", "get", "set", "add", "unset"] as const;

/** `/config show | get <path> | set <path> <value> | add <path> <value> | unset <path>` (CM-15). */
export const configCommand = defineCommand({
  name: "config",
  group: "administration",
  summary: texts.summary,
  arguments: [
    { name: "action", description: texts.action, choices: ACTIONS },
    { name: "path", description: texts.path },
    { name: "value", description: texts.value, rest: true },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("show"),
    path: z.string().optional(),
    value: z.string().optional(),
  }),
  role: "owner",
  execute: async (args, context) => ({ text: await answerText(args, context), private: true }),
});

interface Asked {
  readonly action: (typeof ACTIONS)[number];
  readonly path?: string | undefined;
  readonly value?: string | undefined;
}

async function answerText({ action, path, value }: Asked, { services, inPrivate }: CommandContext): Promise<string> {
  const { configFile, settings } = services;
  const changes = action !== "show" && action !== "get";
  if (changes && !settings.commands.config) return texts.disabled;
  if (configFile === null) return texts.noFile;
  if (!inPrivate) return texts.notPrivate;
  switch (action) {
    case "show":
      return show(path ?? "", configFile);
    case "get":
      return path === undefined ? texts.usage("get <path>") : show(path, configFile);
    case "set":
      if (path === undefined || value === undefined) return texts.usage("set <path> <value>");
      return changeText(path, await configFile.set(path, value));
    case "add":
      if (path === undefined || value === undefined) return texts.usage("add <path> <value>");
      return changeText(path, await configFile.add(path, value));
    case "unset":
      if (path === undefined || value !== undefined) return texts.usage("unset <path>");
      return changeText(path, await configFile.unset(path), "removed");
  }
}

async function show(path: string, file: ConfigEditor): Promise<string> {
  const value = await file.get(path);
  if (value.found) return `\`\`\`json5\n${value.text}\n\`\`\``;
  return value.problem === null ? texts.notSet(path) : `${value.problem}.`;
}

function changeText(path: string, change: ConfigChange, done: "written" | "removed" = "written"): string {
  if (!change.changed) return [texts.unchanged, ...change.problems.map((problem) => `- ${problem}`)].join("\n");
  const { needRestart } = change;
  if (needRestart.length === 0) return done === "written" ? texts.written(path) : texts.removed(path);
  const keys = needRestart.join(", ");
  return done === "written" ? texts.writtenForRestart(path, keys) : texts.removedForRestart(path, keys);
}
