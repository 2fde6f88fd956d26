import type { Capabilities } from "../../../src/channel/capabilities.ts";
import type { SlackWeb } from "../web.ts";

/** Slack names emoji; these are what people write on other platforms for the same purpose. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["👀", "eyes"],
  ["👍", "+1"],
  ["👌", "ok_hand"],
  ["✅", "white_check_mark"],
  ["⏳", "hourglass_flowing_sand"],
  ["⌛", "hourglass"],
  ["🤔", "thinking_face"],
  ["💭", "thought_balloon"],
  ["🔥", "fire"],
  ["⚡", "zap"],
  ["🤖", "robot_face"],
  ["✍", "writing_hand"],
  ["🙏", "pray"],
  ["❤", "heart"],
]);

/** A name with or without colons (`eyes`, `:eyes:`), or one of the emoji above. */
export function readReaction(text: string): string | null {
  const name = NAMES.get(text.replaceAll("\ufe0f", "")) ?? text.replace(/^:(.*):$/, "$1");
  return /^[a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?$/.test(name) ? name : null;
}

/** The bot's own reaction on a message. Rejects when Slack refuses it; nothing depends on it. */
export function reactionsOn(web: () => SlackWeb | null): NonNullable<Capabilities["reactions"]> {
  return {
    async put({ route, messageId }, name) {
      await web()?.reactions.add({ channel: route.to, timestamp: messageId, name });
    },
    async remove({ route, messageId }, name) {
      await web()?.reactions.remove({ channel: route.to, timestamp: messageId, name });
    },
  };
}
