import { lastText, type ModelScript, say } from "../support/emulators/model/index.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import {
  PLATFORMS,
  type PlatformName,
  type ThreeSided,
  threeSidedDiscord,
  threeSidedSlack,
  threeSidedTelegram,
} from "./sides.ts";

/** One program with three accounts on each of three platforms, and the chat page. */
export interface Ground extends AsyncDisposable {
  readonly bridge: TestBridge;
  on(name: PlatformName): ThreeSided;
  /** Every platform but this one. */
  others(name: PlatformName): readonly ThreeSided[];
}

/** What the model answers to a text that ends in a word: `answer to <word>`. */
export const ANSWERS: ModelScript = (request) => say(answerTo(lastText(request, "user").split(/\s+/).at(-1) ?? ""));

export function answerTo(word: string): string {
  return `answer to ${word}`;
}

export async function startGround(model: ModelScript = ANSWERS): Promise<Ground> {
  const all = await Promise.all([threeSidedTelegram(), threeSidedDiscord(), threeSidedSlack()]);
  const channels = Object.fromEntries(all.map(({ name, config }) => [name, config]));
  const bridge = await startTestBridge({ telegram: false, model, config: { logging: { level: "info" }, channels } });
  await Promise.all(all.map((one) => one.ready()));
  const on = (name: PlatformName): ThreeSided => {
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
