import { CHANNELS, type Channel } from "../crash/stage.ts";
import { SKIPPABLE } from "../guarantee/scene-run.ts";
import { startTestBridge, type TestBridge, type TestBridgeOptions } from "../support/test-bridge.ts";
import type { Playable } from "./compose.ts";
import { echoReply } from "./echo-model.ts";
import type { Stand } from "./stand.ts";
import { discordStand } from "./stands/discord.ts";
import { slackStand } from "./stands/slack.ts";
import { telegramStand } from "./stands/telegram.ts";
import { webStand } from "./stands/web.ts";

/** One program with all platforms beside it at once. */
export interface Ground extends AsyncDisposable {
  readonly bridge: TestBridge;
  readonly stands: Readonly<Record<Channel, Stand>>;
  readonly playable: Playable;
  /** Starts the program again after its death. */
  restart(): Promise<void>;
  /** Resolves when every account hears people. */
  ready(): Promise<void>;
}

export interface GroundOptions {
  /** The clock of the program can be moved. Default true. */
  readonly skippable?: boolean;
  /** Laid over the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly bridge?: Pick<TestBridgeOptions, "keepRequests">;
  readonly nodeArgs?: readonly string[];
  /** Where the web page's answers are read. Default `page`: what people see, at most the last hundred messages. */
  readonly webReads?: "page" | "store";
}

export async function openGround(options: GroundOptions = {}): Promise<Ground> {
  const { skippable = true, config = {}, nodeArgs = [], webReads = "page" } = options;
  const held: { bridge: TestBridge | null } = { bridge: null };
  const running = (): TestBridge => {
    if (held.bridge === null) throw new Error("the program does not run yet");
    return held.bridge;
  };
  const [discord, slack] = await Promise.all([discordStand(), slackStand()]);
  const web = webStand(running, webReads);
  const start = skippable ? { ...SKIPPABLE, nodeArgs: [...SKIPPABLE.nodeArgs, ...nodeArgs] } : { nodeArgs };
  const channels = { discord: discord.section, slack: slack.section, web: web.section };
  const bridge = await startTestBridge({ ...options.bridge, start, model: echoReply, config: { ...config, channels } });
  held.bridge = bridge;
  const stands = { telegram: telegramStand(bridge), discord, slack, web };
  const ready = async (): Promise<void> => {
    await Promise.all(CHANNELS.map((channel) => stands[channel].ready()));
  };
  await ready();
  return {
    bridge,
    stands,
    playable: {
      telegram: stands.telegram.faults,
      discord: discord.faults,
      slack: slack.faults,
      web: web.faults,
    },
    restart: async () => void (await bridge.restart(start)),
    ready,
    [Symbol.asyncDispose]: async () => {
      await bridge[Symbol.asyncDispose]();
      await Promise.all(CHANNELS.map((channel) => stands[channel].stop()));
    },
  };
}
