import {
  aLineInstead,
  atLeastOnce,
  type Guarantee,
  OVER_A_NETWORK,
  once,
  REACTION,
} from "../../src/channel/guarantee.ts";

const METADATA = once("before a retry, Switchyard looks for the delivery's key in the metadata of messages");
const FILE = once("before a retry, Switchyard looks for a file of the bot with the same name and size");
const AGAIN = once("repeating the edit shows the same message");

const SENT = {
  ...OVER_A_NETWORK,
  crash_before: METADATA,
  crash_after: METADATA,
  answer_cut: METADATA,
  server_error: METADATA,
  platform_down: METADATA,
} as const;

/** A reply that only its caller can see can be neither found again nor changed; its response URL does not survive a restart. */
const LINE = aLineInstead(
  "the response URL is kept in memory while the account is connected; after that one line in the conversation says that the command ran",
);
const UNSEEN = atLeastOnce("none: Switchyard cannot look up a message that only one person sees, so it is sent again");
const OWN_ADDRESS = once("retried at the call's response URL");
const PRIVATE = {
  crash_before: LINE,
  crash_after: LINE,
  answer_cut: UNSEEN,
  rate_limited: OWN_ADDRESS,
  server_error: OWN_ADDRESS,
  platform_down: aLineInstead(
    "the response URL works for 30 minutes; after that one line in the conversation says that the command ran",
  ),
  adapter_down: LINE,
  conversation_gone: OVER_A_NETWORK.conversation_gone,
} as const;

/** DL-15. A thread is created by its root message. */
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
    conversation_gone: once("if the app may not write there, the reply goes to the call's response URL"),
  },
  private: PRIVATE,
};
