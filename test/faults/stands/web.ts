import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { playable } from "../../support/emulators/fault-model.ts";
import type { TestBridge } from "../../support/test-bridge.ts";
import { WEB_PLAYS, WebPage } from "../../support/web-page.ts";
import type { WebConversation } from "../../support/web-person.ts";
import { begins } from "../begins.ts";
import type { Stand } from "../stand.ts";

const AGAIN_MS = 50;

/** The chat page of the program itself. `bridge` is asked when it runs. */
export function webStand(bridge: () => TestBridge, from: "page" | "store"): Stand {
  const page = new WebPage(() => bridge().process.url);
  const state = { waiting: 0, said: 0 };
  return {
    channel: "web",
    section: { enabled: true },
    faults: playable(WEB_PLAYS),
    begins: (fault, dose) => begins(WEB_PLAYS, fault, page, dose),
    ready: async () => undefined,
    talk: async (name) => {
      // Writing does not wait for it: the program may be away at the moment.
      const channel = opened(bridge, `Talk ${name}`);
      return {
        to: name,
        says: (text) => {
          state.waiting += 1;
          state.said += 1;
          const id = `client-${name}-${String(state.said).padStart(6, "0")}`;
          // It never gives up; what fails in it is a fault of the page.
          void channel
            .then(({ path }) => page.says(path, id, text))
            .then(() => {
              state.waiting -= 1;
            });
        },
        reads: async () =>
          from === "page" ? (await channel).answers() : storedAnswers(bridge().process.folder, (await channel).path),
      };
    },
    isQuiet: () => state.waiting === 0,
    mayComeLate: () => false,
    unanswered: () => [],
    stop: async () => undefined,
  };
}

/** Resolves when the program has made it, however long it is away. */
async function opened(bridge: () => TestBridge, title: string): Promise<WebConversation> {
  for (;;) {
    try {
      return await bridge().web.channel(title);
    } catch (error) {
      // What `fetch` throws when nobody listens or the line breaks.
      if (!(error instanceof TypeError)) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

/** The same from the log behind the page. */
function storedAnswers(folder: string, path: string): readonly string[] {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    return database
      .prepare("select text from conversation_messages where to_id = ? and author = 'agent' order by id")
      .pluck()
      .all(path.slice(path.lastIndexOf("/") + 1))
      .map(String);
  } finally {
    database.close();
  }
}
