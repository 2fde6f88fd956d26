import { lastText, type ModelScript, type ReplyFunction, say } from "../support/emulators/model/index.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import {
  type ManySided,
  manySidedDiscord,
  manySidedSlack,
  manySidedTelegram,
  PLATFORMS,
  type PlatformName,
} from "./sides.ts";

/** One program with four accounts on each of three platforms, and the chat page. */
export interface Ground extends AsyncDisposable {
  readonly bridge: TestBridge;
  on(name: PlatformName): ManySided;
  /** Every platform but this one. */
  others(name: PlatformName): readonly ManySided[];
}

/** So few that whoever keeps a turn longer than its work lasts is felt by all. */
export const TURNS_AT_ONCE = 2;

/** What the model answers to a text that ends in a word: `answer to <word>`. */
export const ANSWERS: ReplyFunction = (request) => say(answerTo(lastText(request, "user").split(/\s+/).at(-1) ?? ""));

export function answerTo(word: string): string {
  return `answer to ${word}`;
}

export async function startGround(model: ModelScript = ANSWERS): Promise<Ground> {
  const all = await Promise.all([manySidedTelegram(), manySidedDiscord(), manySidedSlack()]);
  const channels = Object.fromEntries(all.map(({ name, config }) => [name, config]));
  const agents = { defaults: { maxConcurrent: TURNS_AT_ONCE } };
  const bridge = await startTestBridge({
    ...{ telegram: false, model },
    config: { logging: { level: "info" }, agents, channels },
  });
  await Promise.all(all.map((one) => one.ready()));
  const on = (name: PlatformName): ManySided => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no platform ${name}`);
    return found;
  };
  return {
    bridge,
    on,
    others: (name) => PLATFORMS.filter((one) => one !== name).map(on),
    [Symbol.asyncDispose]: async () => {
      await bridge[Symbol.asyncDispose]();
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}
