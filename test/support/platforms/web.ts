import type { TestBridge } from "../test-bridge.ts";
import type { WebConversation } from "../web-person.ts";
import type { Platform, Spot, ThreadSpot } from "./platform.ts";

/** The chat page: the operator is everybody, nothing needs a mention, a thread stays. */
export function webPlatform(): Platform {
  const world: { bridge: TestBridge | null } = { bridge: null };
  const bridge = (): TestBridge => {
    if (world.bridge === null) throw new Error("the bridge does not run yet");
    return world.bridge;
  };
  const spot = (at: () => WebConversation): Spot => ({
    says: async (text) => void (await at().says(text)),
    runs: async (command) => void (await at().says(command)),
    hears: async (wanted) => (await at().hears(wanted)).text,
    botTexts: () => at().answers(),
  });
  const threadSpot = (at: WebConversation): ThreadSpot => ({ ...spot(() => at), closing: null, deletes: null });

  /** The thread that was made for a sub-agent, as the list of places shows it. */
  async function threadNamed(from: WebConversation, name: string): Promise<WebConversation> {
    const link = new RegExp(`href="(${from.path}/t/d-[0-9a-f]+)"(?:(?!</a)[^])*?${name}`);
    const deadline = Date.now() + 15_000;
    for (;;) {
      const page = await (await fetch(bridge().process.url + from.path)).text();
      const path = link.exec(page)?.[1];
      if (path !== undefined) return bridge().web.at(path);
      if (Date.now() > deadline) throw new Error(`no thread ${name} in ${from.path}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  return {
    name: "web",
    public: false,
    owner: null,
    config: {},
    mentionOf: () => "@switchyard",
    ready: async (running) => {
      world.bridge = running;
    },
    direct: () => spot(() => bridge().web.operator),
    channel: async (title) => {
      const channel = await bridge().web.channel(title);
      const here = spot(() => channel);
      return {
        ...here,
        asks: async (text) => {
          await here.says(text);
          return here;
        },
        thread: async (name) => threadSpot(await channel.thread(name)),
        subAgentThread: async (name) => {
          const made = threadSpot(await threadNamed(channel, name));
          await made.hears(/\)\. Reply in this thread/);
          return made;
        },
      };
    },
    stop: async () => undefined,
  };
}
