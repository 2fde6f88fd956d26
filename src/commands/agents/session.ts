import { z } from "zod";
import { ToolError } from "../../core/errors.ts";
import type { BindingLimits } from "../../core/session/run.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { durationText, readDuration } from "../../core/time.ts";
import { bindingHere } from "../../store/reads/runs/bindings.ts";
import { limitBinding } from "../../store/steps/runs/limit-binding.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { refuseInGroup, release } from "./focus.ts";

const texts = agentTexts.session;
const ACTIONS = ["unbind", "idle", "max-age"] as const;
/** As long as a setting may say. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** `/session unbind | idle <duration|off> | max-age <duration|off>` for the thread it is typed in (TB-5). */
export const sessionCommand = defineCommand({
  name: "session",
  group: "sub-agents",
  summary: texts.summary,
  arguments: [
    { name: "action", description: texts.action, choices: ACTIONS },
    { name: "duration", description: texts.duration },
  ],
  input: z.object({ action: z.enum(ACTIONS).optional(), duration: z.string().optional() }),
  role: "user",
  execute: async ({ action, duration }, context) => {
    if (action === "unbind") return release(context);
    if (action === undefined || duration === undefined) return show(context);
    return setLimit(action, duration, context);
  },
});

async function show({ services, route }: CommandContext): Promise<CommandAnswer> {
  const binding = await services.store.read(bindingHere, route);
  if (binding === null) return { text: agentTexts.focus.notLinked };
  return { text: texts.linkedTo(binding.sessionKey, limitsText(binding)) };
}

/** Confirmed only after it is stored: the answer is made of what the step returns. */
async function setLimit(action: "idle" | "max-age", written: string, context: CommandContext): Promise<CommandAnswer> {
  const refused = refuseInGroup(context);
  if (refused !== null) return refused;
  const ms = written.trim().toLowerCase() === "off" ? 0 : readDuration(written);
  if (ms === null || ms > LONGEST_MS || (ms === 0 && written.trim().toLowerCase() !== "off")) {
    throw new ToolError(texts.badDuration(written), { hint: texts.durationHint });
  }
  const change = action === "idle" ? { idleMs: ms } : { maxAgeMs: ms };
  const limits = await context.services.store.step(limitBinding, { route: context.route, ...change });
  return { text: limits === null ? agentTexts.focus.notLinked : limitsText(limits) };
}

function limitsText({ idleMs, maxAgeMs }: BindingLimits): string {
  const limit = (ms: number): string | null => (ms === 0 ? null : durationText(ms));
  return texts.limits(limit(idleMs), limit(maxAgeMs));
}
