import { callLines } from "../../agent/turn/answer.ts";
import type { ToolCall } from "../../agent/turn/loop.ts";
import type { OpenTurnOutput, TurnOutput } from "../../agent/turn/ports.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import { section } from "../../core/section.ts";
import { createStreamSanitiser, type StreamSanitiser } from "../../core/text/stream-sanitiser.ts";
import type { Timers } from "../../core/waiting.ts";
import type { DeliveryAccounts } from "../../delivery/accounts.ts";
import type { Pacer } from "../../delivery/pacing.ts";
import { createPreview, startTyping } from "../../delivery/preview.ts";
import type { Store } from "../../store/store.ts";

export interface TurnOutputDeps {
  readonly store: Store;
  readonly accounts: DeliveryAccounts;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

const NO_OUTPUT: TurnOutput = { text: () => undefined, tool: () => undefined, finish: () => Promise.resolve() };

/** Typing and previews of turns whose answer goes to a platform (TN-10, TN-11); for the others nothing. */
export function createTurnOutput(deps: TurnOutputDeps): OpenTurnOutput {
  return ({ turn, settings, session }) => {
    const { route, replyTo } = turn.source;
    const account = route === null ? null : deps.accounts.find(route.channel, route.accountId);
    if (route === null || account === null) return NO_OUTPUT;
    const own = settings.accounts.find(
      (known) => known.channel === route.channel && known.accountId === route.accountId,
    );
    const typing = startTyping({ ...deps, account, route });
    const preview =
      own?.streaming === "off"
        ? null
        : createPreview({
            ...deps,
            account,
            route,
            fence: { turnId: turn.id, fence: turn.fence },
            sessionKey: turn.sessionKey,
            runId: turn.runId,
            replyTo,
            replyToMode: own?.replyToMode ?? "off",
          });
    const stream = createDeltaSanitiser();
    const calls: ToolCall[] = [];
    let above: string | null = null;
    let visible = "";
    return {
      text: (text) => {
        visible = stream(text);
        preview?.update(visible, above);
      },
      tool: (call) => {
        if (!session.verbose) return;
        calls.push(call);
        above = callLines(calls, settings.secrets);
        preview?.update(visible, above);
      },
      finish: async () => {
        typing.stop();
        await preview?.finish();
      },
    };
  };
}

/** Turns growing whole texts into pushes; a text that does not continue the last one is another attempt or step. */
function createDeltaSanitiser(): (text: string) => string {
  let seen = "";
  let stream: StreamSanitiser = createStreamSanitiser();
  return (text) => {
    if (!text.startsWith(seen)) {
      seen = "";
      stream = createStreamSanitiser();
    }
    const delta = text.slice(seen.length);
    seen = text;
    return section("sanitise a stream", () => stream.push(delta));
  };
}
