import {
  aLineInstead,
  atLeastOnce,
  type Guarantee,
  OVER_A_NETWORK,
  once,
  REACTION,
} from "../../src/channel/guarantee.ts";

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

/** An answer to its asker alone can neither be found again nor changed; the address for it is not kept over a restart. */
const LINE = aLineInstead(
  "the call's address is kept in memory while the account is connected; afterwards a line in the conversation stands for it",
);
const UNSEEN = atLeastOnce("none: Slack shows nobody what was shown to one person, so it is shown again");
const OWN_ADDRESS = once("tried again at the address that came with the call");
const PRIVATE = {
  crash_before: LINE,
  crash_after: LINE,
  answer_cut: UNSEEN,
  rate_limited: OWN_ADDRESS,
  server_error: OWN_ADDRESS,
  platform_down: aLineInstead(
    "the call's address takes answers for half an hour; then a line in the conversation stands for it",
  ),
  adapter_down: LINE,
  conversation_gone: OVER_A_NETWORK.conversation_gone,
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
  native: {
    ...SENT,
    conversation_gone: once("where the app may not write, the address that came with the call takes the answer"),
  },
  private: PRIVATE,
};
