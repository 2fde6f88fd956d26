import { type Guarantee, notAtAll, once } from "../../src/channel/guarantee.ts";

/** The page's log is in the store: a send is a commit, and there is no platform that could fail apart from it. */
const NO_LINE = notAtAll("there is no platform in between: the page's log is Switchyard's own store");
const KEY = once("the page's log holds one message for each delivery's key");

const LOGGED = { ...NO_LINE, crash_before: KEY, crash_after: KEY };

/** DL-15. */
export const webGuarantee: Guarantee = {
  text: LOGGED,
  pieces: notAtAll("the page takes an answer of any length as one message"),
  edit: {
    ...NO_LINE,
    crash_before: once("the same edit again shows the same message"),
    crash_after: once("the same edit again shows the same message"),
  },
  file: LOGGED,
  reaction: notAtAll("the page has no reactions"),
  thread: {
    ...NO_LINE,
    crash_before: once("the thread's id is made from the delivery's key"),
    crash_after: once("the thread's id is made from the delivery's key"),
  },
  command: LOGGED,
  native: notAtAll("commands are typed here"),
  private: notAtAll("commands are typed here"),
};
