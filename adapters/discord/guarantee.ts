import { type Guarantee, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

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
};
