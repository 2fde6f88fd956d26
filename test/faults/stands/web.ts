import { playable } from "../../support/emulators/fault-model.ts";
import type { TestBridge } from "../../support/test-bridge.ts";
import { WEB_PLAYS, WebPage } from "../../support/web-page.ts";
import { begins } from "../begins.ts";
import type { Stand } from "../stand.ts";

/** The chat page of the program itself. `bridge` is asked when it runs. */
export function webStand(bridge: () => TestBridge): Stand {
  const page = new WebPage(() => bridge().process.url);
  const state = { waiting: 0, said: 0 };
  return {
    channel: "web",
    section: { enabled: true },
    faults: playable(WEB_PLAYS),
    begins: (fault, dose) => begins(WEB_PLAYS, fault, page, dose),
    ready: async () => undefined,
    talk: async (name) => {
      const channel = await bridge().web.channel(`Talk ${name}`);
      return {
        to: channel.path,
        says: (text) => {
          state.waiting += 1;
          state.said += 1;
          const id = `client-${name}-${String(state.said).padStart(6, "0")}`;
          // It never gives up; what fails in it is a fault of the page.
          void page.says(channel.path, id, text).then(() => {
            state.waiting -= 1;
          });
        },
        reads: async () => channel.answers(),
      };
    },
    isQuiet: () => state.waiting === 0,
    toldAs: () => null,
    unanswered: () => [],
    stop: async () => undefined,
  };
}
