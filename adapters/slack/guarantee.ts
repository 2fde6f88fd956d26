import { type Guarantee, OVER_A_NETWORK, once, REACTION } from "../../src/channel/guarantee.ts";

const METADATA = once("the delivery's key in the message's metadata is looked for before it is sent again");
const FILE = once("a file of its name and size by the bot is looked for before it is shared again");
const AGAIN = once("the same edit again shows the same message");

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: METADATA,
  crash_after: METADATA,
  answer_cut: METADATA,
  server_error: METADATA,
  platform_down: METADATA,
} as const;

/** DL-15. A thread is made by its root message. */
export const slackGuarantee: Guarantee = {
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
  file: {
    ...OVER_A_NETWORK,
    crash_before: FILE,
    crash_after: FILE,
    answer_cut: FILE,
    server_error: FILE,
    platform_down: FILE,
  },
  reaction: REACTION,
  thread: SENT,
  command: SENT,
};
