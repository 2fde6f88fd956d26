import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { slackPrompts } from "../../../src/core/texts/platforms/examples.ts";
import { readRefusal } from "../errors.ts";
import type { Lookups, SlackWeb } from "../gateway/lookups.ts";

const MOST_KEPT = 200;

/**
 * Which threads of direct conversations stand in the assistant's pane and so have sessions of their own (SK-8). Slack says so
 * only once, when one is opened; it must hold after a restart. Resolves with what remembers a new one, durably.
 */
export async function openAssistantThreads(
  host: AdapterHost,
  botId: string,
  lookups: Pick<Lookups, "addAssistantThread">,
): Promise<(channel: string, threadTs: string) => Promise<void>> {
  const key = `assistant-threads:${botId}`;
  const known = parse(await host.state.get(key));
  for (const { channel, threadTs } of known) lookups.addAssistantThread(channel, threadTs);
  return async (channel, threadTs) => {
    lookups.addAssistantThread(channel, threadTs);
    if (known.some((one) => one.channel === channel && one.threadTs === threadTs)) return;
    known.push({ channel, threadTs });
    known.splice(0, known.length - MOST_KEPT);
    await host.state.set(key, JSON.stringify(known));
  };
}

interface AssistantThread {
  readonly channel: string;
  readonly threadTs: string;
}

function parse(text: string | null): AssistantThread[] {
  if (text === null) return [];
  const value: unknown = JSON.parse(text);
  // Written by this very file.
  return Array.isArray(value) ? (value as AssistantThread[]) : [];
}

/** Offers ways to begin in a thread that was just opened. Nothing depends on it, so a refusal is only noted. */
export async function suggestPrompts(
  web: SlackWeb,
  thread: { readonly channel: string; readonly threadTs: string },
  log: Logger,
): Promise<void> {
  const prompts: Parameters<SlackWeb["assistant"]["threads"]["setSuggestedPrompts"]>[0]["prompts"] = [...slackPrompts];
  try {
    await web.assistant.threads.setSuggestedPrompts({
      channel_id: thread.channel,
      thread_ts: thread.threadTs,
      prompts,
    });
  } catch (error) {
    log.debug({ reason: readRefusal(error).reason, channel: thread.channel }, "prompts could not be suggested");
  }
}
