/**
 * The steps that no flow reaches, and why each needs none: in all of them one transaction decides everything, and nothing is sent
 * or begun beside it that a death in between could lose or do twice.
 */
export const UNREACHED: Readonly<Record<string, string>> = {
  "allow-sender": "an operator's word; nobody waits for more than its answer",
  "archive-session": "a timer that finds the same session again",
  "change-thread": "the platform's word about a place; it says it again or shows it when asked (IN-14)",
  "conversation-delete": "a person's word on the page; said again when it did not happen",
  "conversation-rename": "a person's word on the page; said again when it did not happen",
  "conversation-remove": "the page's log: the removed message is not there any more",
  "dismiss-delivery": "an operator's word",
  "drop-held": "what is held for a thread that never came; test/unit/bridge/bound-places.test.ts",
  "edit-event": "an edit of what waits still; test/unit/bridge/changes.test.ts",
  "ensure-main": "made at the start, when it is missing",
  "forget-messages": "an operator's word, done again until nothing is left",
  "forget-sender": "an operator's word, done again until nothing is left",
  "hold-event": "what is said while a thread is made; test/unit/bridge/bound-places.test.ts",
  "keep-unaddressed": "kept for the next mention; it starts nothing",
  "list-in-place": "a person's word about a list; said again it is so already",
  "merge-facts": "parts of one message that come apart; test/unit/bridge/gathering.test.ts",
  "migrate-conversation":
    "Telegram's word, which it repeats with every refused send; test/unit/bridge/migrate-conversation.test.ts",
  "note-refusal": "a count for the operator",
  "operator-send": "an operator's word; what it sends is a delivery like any other",
  "pairing-approve": "an operator's word",
  "pairing-deny": "an operator's word",
  "pairing-revoke": "an operator's word",
  "park-event": "what could not be read, for the operator",
  "probe-store": "it only tries whether the store can be written",
  "prune-sessions": "runs by the clock; test/crash/at-start.test.ts",
  "prune-store": "runs by the clock, and again until nothing is old",
  "record-refusal": "for the operator",
  "release-item": "parts of one message that come apart; test/unit/bridge/gathering.test.ts",
  "remove-probe": "it only tries whether the store can be written",
  "retry-completion": "an operator's word",
  "retry-delivery": "an operator's word",
  "withdraw-event": "a removal of what waits still; test/unit/bridge/changes.test.ts",
};
