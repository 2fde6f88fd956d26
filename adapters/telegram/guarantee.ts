import { atLeastOnce, type Guarantee, notAtAll, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

/** Telegram accepts no key and shows a bot no history, so a send without a response stays unknown (DL-3). */
const UNKNOWN = "none: with `delivery.onUnconfirmed: resend` it is sent again, with `hold` it waits for the operator";

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: once(
    "none: with `delivery.onUnconfirmed: resend` it is sent again, with `hold` it waits for the operator",
  ),
  crash_after: atLeastOnce(UNKNOWN),
  answer_cut: atLeastOnce(UNKNOWN),
  server_error: once("Telegram's error says that nothing was posted; retried with backoff"),
  platform_down: once("requests that never left are retried with backoff for up to 24 hours"),
} as const;

const MENU = notAtAll("Telegram's command menu sends the command as a message, so every command is typed");
const AGAIN = once("repeating the edit shows the same message");

/** DL-15. */
export const telegramGuarantee: Guarantee = {
  text: SENT,
  pieces: SENT,
  edit: { ...SENT, crash_before: AGAIN, crash_after: AGAIN, answer_cut: AGAIN },
  file: SENT,
  reaction: REACTION,
  thread: {
    ...SENT,
    crash_after: atLeastOnce("none, because bots cannot list topics: there may be a second topic beside an empty one"),
    answer_cut: atLeastOnce("none, because bots cannot list topics: there may be a second topic beside an empty one"),
  },
  command: SENT,
  native: MENU,
  private: MENU,
};
