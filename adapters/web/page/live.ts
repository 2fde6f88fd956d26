import { html } from "hono/html";
import type { TurnProgress } from "../../../src/channel/capabilities.ts";
import type { Markup } from "./markup.ts";

/** What runs for this conversation now: tools, helpers, the agent writing. */
export function liveStatus(progress: readonly TurnProgress[], typing: boolean): Markup {
  const lines = progress.flatMap((one) =>
    one.lines.length > 0 ? one.lines : one.state === "waiting" ? ["waiting"] : [],
  );
  return html`${
    lines.length === 0 ? "" : html`<ul class="progress">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }${typing ? html`<p class="typing">Switchyard is writing<span aria-hidden="true" class="dots"><i></i><i></i><i></i></span></p>` : ""}`;
}
