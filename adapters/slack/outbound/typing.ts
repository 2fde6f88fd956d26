import type { Route } from "../../../src/core/delivery/route.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { readRefusal } from "../errors.ts";
import type { SlackWeb } from "../web.ts";

export interface Typing {
  show(route: Route): Promise<void>;
  clear(route: Route): Promise<void>;
}

/**
 * Slack shows that a bot works only as the status of a thread. Outside of threads nothing is shown: a status there would make
 * a thread (FC-049). An app that may not is not asked again by this connection.
 */
export function createTyping(web: SlackWeb, log: Logger): Typing {
  let allowed = true;

  async function set({ to, threadId }: Route, status: string): Promise<void> {
    if (!allowed || threadId === null) return;
    try {
      await web.assistant.threads.setStatus({ channel_id: to, thread_ts: threadId, status });
    } catch (error) {
      const { kind, reason } = readRefusal(error);
      if (kind === "missing_scope" || kind === "unauthorized") allowed = false;
      log.debug({ reason, channel: to }, "the status of a thread could not be shown");
    }
  }

  return { show: (route) => set(route, "is thinking…"), clear: (route) => set(route, "") };
}
