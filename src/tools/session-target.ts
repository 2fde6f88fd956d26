import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { createRedactor, type Redacted } from "../core/text/redact.ts";
import { targetTexts } from "../core/texts/agent/tool-calls.ts";
import type { MessageView } from "../sessions/history-view.ts";
import { resolveTarget, type TargetReference } from "../sessions/resolve-target.ts";
import { visibilityNote } from "../sessions/visibility.ts";
import type { TargetSession } from "../store/reads/sessions/targets.ts";
import type { ToolContext } from "./tool.ts";

/** How every tool's `sessionKey` parameter reads (SK-6). */
export const sessionKeyInput = z.string().describe(targetTexts.parameter);

/** The session a call is about; an error that says what to give when it names none. */
export async function requiredTarget(reference: TargetReference, context: ToolContext): Promise<TargetSession> {
  const target = await resolveTarget(reference, context);
  if (target === null) throw new ToolError(targetTexts.none, { hint: targetTexts.noneHint });
  return target;
}

/** Masks credentials of text that leaves its session (ST-7). */
export function redactorOf({ settings }: Pick<ToolContext, "settings">): (text: string) => Redacted {
  return createRedactor(settings.secrets);
}

const OBVIOUS = { user: "human", assistant: "assistant", tool: "tool" } as const;

/** A message in a result: its time in the agent's zone, and where it comes from only when its role does not say so (FC-234). */
export function toolView({ at, provenance, ...view }: MessageView, { timeText }: Pick<ToolContext, "timeText">) {
  const { seq, role, ...rest } = view;
  return { seq, role, at: timeText(at), ...(provenance === OBVIOUS[role] ? {} : { provenance }), ...rest };
}

/** The part of a result that says what the caller cannot see (VS-3); nothing under an unrestricted mode. */
export function visibilityPart({ settings, session }: Pick<ToolContext, "settings" | "session">) {
  const note = visibilityNote(settings, session);
  return note === null ? {} : { visibility: { mode: note.mode, warning: note.warning } };
}

export const visibilityOutput = z.object({ mode: z.string(), warning: z.string() }).optional();
