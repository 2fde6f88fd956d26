/** The state of an account whose messages arrive, but cannot be stored. */
export const UNSTORED = "messages cannot be stored at the moment";
