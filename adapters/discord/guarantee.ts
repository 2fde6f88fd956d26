import { aLineInstead, type Guarantee, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

const NONCE = once("nonce within 2 minutes, after that the history is read back for it");
const AGAIN = once("the same edit again shows the same message");
const SAME_THREAD = once("a message carries one thread: the one that stands on it is taken");

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: NONCE,
  crash_after: NONCE,
  answer_cut: NONCE,
  server_error: NONCE,
  platform_down: NONCE,
} as const;

const FILLED = once("it fills the call's own waiting line: doing it again shows the same");
const IN_PLACE = {
  ...OVER_A_NETWORK,
  crash_before: FILLED,
  crash_after: FILLED,
  answer_cut: FILLED,
  server_error: FILLED,
  platform_down: once(
    "Discord takes answers to a call for 15 minutes; then it goes into the channel, as a message with a nonce",
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
      "Discord takes answers to a call for 15 minutes; then a line in the channel stands for it",
    ),
  },
};
