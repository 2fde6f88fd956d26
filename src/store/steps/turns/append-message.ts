import { appendToTurn } from "../../parts/transcript.ts";
import { defineStep } from "../../store.ts";

/** Stores an assistant message with its tool calls, or one tool result, before it has an effect (TN-2). */
export const appendMessage = defineStep("append-message", "normal", appendToTurn);
