import { setTimeout as sleep } from "node:timers/promises";
import { startTestBridge, type TestBridge } from "../../support/test-bridge.ts";
import type { WebConversation } from "../../support/web-person.ts";
import { named, type Place, SETTINGS, type Stage, type StageOptions } from "../stage.ts";

const AGAIN_MS = 20;

/** The web page: its log is in the store, so nothing leaves the process and there are no sends to end it at. */
export async function startWeb(options: StageOptions): Promise<Stage> {
  const bridge = await startTestBridge({ ...options, telegram: false, config: SETTINGS });
  return {
    bridge,
    place: async (_kind, mark) => webPlace(bridge, await bridge.web.channel(`Case ${mark}`), mark),
    watch: () => undefined,
    breaks: null,
    ready: async () => undefined,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}

function webPlace(bridge: TestBridge, channel: WebConversation, mark: string): Place {
  const said = { count: 0 };
  const send = async (to: () => Promise<WebConversation>, text: string): Promise<void> => {
    said.count += 1;
    const id = `client-${mark}-${String(said.count).padStart(4, "0")}`;
    await untilThere(async () => (await to()).says(text, { id }));
  };
  const threads = async (): Promise<readonly WebConversation[]> => {
    const page = await (await fetch(bridge.process.url + channel.path)).text();
    const found = page.matchAll(new RegExp(`href="(${channel.path}/t/d-[0-9a-f]+)"`, "g"));
    return [...new Set([...found].map(([, path = ""]) => path))].map((path) => bridge.web.at(path));
  };
  const thread = async (): Promise<WebConversation> => {
    const [first] = await threads();
    if (first === undefined) throw new Error(`${mark}: there is no thread`);
    return first;
  };
  return {
    to: channel.path,
    sigil: "/",
    says: (text) => send(async () => channel, text),
    saysInThread: (text) => send(thread, text),
    answers: async () => {
      const inside = await Promise.all((await threads()).map((one) => one.answers()));
      return [...(await channel.answers()).map(named), ...inside.flat().map((text) => `thread: ${named(text)}`)];
    },
  };
}

/** The page keeps a message until the server has it, and sends it again under the same id. */
async function untilThere(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch (error) {
      // What `fetch` throws when nobody listens or the line breaks.
      if (!(error instanceof TypeError)) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
