import { setTimeout as sleep } from "node:timers/promises";
import type { Talk } from "./stand.ts";

const LOOK_MS = 50;
const AGAIN_MS = 4_000;

/**
 * The conversation after first words that were answered and are left out. Of a person's very first direct message Discord tells a
 * fresh session nothing (IN-14), and no history can be asked for; so first words are no part of what is accounted for there.
 */
export async function greeted(talk: Talk): Promise<Talk> {
  let answers = 0;
  while (answers === 0) {
    await talk.says("plain hello");
    const until = performance.now() + AGAIN_MS;
    while (answers === 0 && performance.now() < until) {
      await sleep(LOOK_MS);
      answers = (await talk.reads()).length;
    }
  }
  const isGreeting = (text: string): boolean => /^Answer to\s*$/.test(text);
  return { ...talk, reads: async () => (await talk.reads()).filter((text) => !isGreeting(text)) };
}
