/** CM-3: what stands in the conversation for an answer that can no longer be shown to its asker alone. */
export const TOO_LATE =
  "This comes too late to be shown to the asker alone. The command was carried out; giving it again shows its answer.";
