import { html } from "hono/html";
import { OPERATOR, type Place } from "../address.ts";
import type { Markup } from "./markup.ts";

/** What a first visitor may say with one click. Every model understands them, the demo model too (OP-4). */
const FIRST_WORDS = ["What can you do?", "Spawn a helper to count to three and report", "/help"];

/** Shown while a conversation has no message: what this place is, and how to begin. */
export function emptyState({ to, threadId }: Place): Markup {
  if (threadId !== null) return hint("Nothing here yet", "This thread has a memory of its own.");
  if (to !== OPERATOR) return hint("Nothing here yet", "This channel has a memory of its own.");
  const prompts = FIRST_WORDS.map(
    (words) => html`<li><button type="button" data-say="${words}">${words}</button></li>`,
  );
  return hint(
    "Talk to your agent",
    "Write below, or begin with one of these:",
    html`<ul class="prompts">${prompts}</ul>`,
  );
}

function hint(title: string, text: string, more: Markup | "" = ""): Markup {
  return html`<div id="empty"><h2>${title}</h2><p>${text}</p>${more}</div>`;
}
