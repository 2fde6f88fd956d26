import { html } from "hono/html";
import type { TurnProgress } from "../../../src/channel/capabilities.ts";
import { pageTexts } from "../../../src/core/texts/page.ts";
import { type Markup, partial } from "./markup.ts";

/** What runs for this conversation now: tools, sub-agents, the agent writing. */
export function liveStatus(progress: readonly TurnProgress[], typing: boolean): Markup {
  const lines = progress.flatMap((one) =>
    one.lines.length > 0 ? one.lines : one.state === "waiting" ? [pageTexts.waiting] : [],
  );
  return html`${
    lines.length === 0 ? "" : html`<ul class="progress">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }${typing ? html`<p class="typing">${pageTexts.writing}<span aria-hidden="true" class="dots"><i></i><i></i><i></i></span></p>` : ""}`;
}

/** What can be done about what runs. Beside the status, not in it: a screen reader must not announce it with every line. */
export function liveActions(progress: readonly TurnProgress[]): Markup {
  if (progress.length === 0) return html``;
  return html`<button type="button" class="quiet stop" data-say="/stop" title="${pageTexts.stopHint}">${pageTexts.stop}</button>`;
}

/** Both places of the page that say what runs. */
export function liveFrame(progress: readonly TurnProgress[], typing: boolean): string {
  return (
    partial("#live", "innerHTML", liveStatus(progress, typing)) +
    partial("#live-actions", "innerMorph", liveActions(progress))
  );
}
