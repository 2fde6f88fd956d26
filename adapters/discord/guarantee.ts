import { aLineInstead, type Guarantee, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

const NONCE = once("a nonce within 2 minutes; after that Switchyard looks for the message in the history");
const AGAIN = once("repeating the edit shows the same message");
const SAME_THREAD = once("a message has at most one thread, so the existing one is used");

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: NONCE,
  crash_after: NONCE,
  answer_cut: NONCE,
  server_error: NONCE,
  platform_down: NONCE,
} as const;

const FILLED = once("it replaces the call's placeholder, so repeating it shows the same message");
const IN_PLACE = {
  ...OVER_A_NETWORK,
  crash_before: FILLED,
  crash_after: FILLED,
  answer_cut: FILLED,
  server_error: FILLED,
  platform_down: once(
    "Discord accepts replies to a call for 15 minutes; after that the reply is posted in the channel, with a nonce",
  ),
} as const;

/** DL-15. */
export const discordGuarantee: Guarantee = {
  text: SENT,
  pieces: SENT,
  edit: {
    ...OVER_A_NETWORK,
    crash_before: AGAIN,
    crash_after: AGAIN,
    answer_cut: AGAIN,
    server_error: AGAIN,
    platform_down: AGAIN,
  },
  file: SENT,
  reaction: REACTION,
  thread: {
    ...OVER_A_NETWORK,
    crash_before: SAME_THREAD,
    crash_after: SAME_THREAD,
    answer_cut: SAME_THREAD,
    server_error: SAME_THREAD,
    platform_down: SAME_THREAD,
  },
  command: SENT,
  native: IN_PLACE,
  private: {
    ...IN_PLACE,
    platform_down: aLineInstead(
      "Discord accepts replies to a call for 15 minutes; after that one line in the channel says that the command ran",
    ),
  },
};
