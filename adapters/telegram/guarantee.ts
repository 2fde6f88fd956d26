import { atLeastOnce, type Guarantee, notAtAll, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

/** Telegram takes no key and shows a bot no history, so a send without an answer stays unknown (DL-3). */
const UNKNOWN = "none: `delivery.onUnconfirmed: resend` sends it again, `hold` keeps it for the operator";

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: once("none: `delivery.onUnconfirmed: resend` sends it again, with `hold` it waits for the operator"),
  crash_after: atLeastOnce(UNKNOWN),
  answer_cut: atLeastOnce(UNKNOWN),
  server_error: once("Telegram's error says that nothing was carried out; tried again with backoff"),
  platform_down: once("requests that never left are tried again with backoff, for up to 24 hours"),
} as const;

const MENU = notAtAll("its command menu writes the command as a message, so it is a typed one");
const AGAIN = once("the same edit again shows the same message");

/** DL-15. */
export const telegramGuarantee: Guarantee = {
  text: SENT,
  pieces: SENT,
  edit: { ...SENT, crash_before: AGAIN, crash_after: AGAIN, answer_cut: AGAIN },
  file: SENT,
  reaction: REACTION,
  thread: {
    ...SENT,
    crash_after: atLeastOnce("none, topics cannot be listed: a second topic beside an empty first one"),
    answer_cut: atLeastOnce("none, topics cannot be listed: a second topic beside an empty first one"),
  },
  command: SENT,
  native: MENU,
  private: MENU,
};
