import type { ChannelDescriptor, Pointed } from "../channel/descriptor.ts";
import type { Settings } from "../core/settings.ts";
import { unknownTexts as texts } from "../core/texts/trace/unknown.ts";
import { durationText } from "../core/time.ts";
import { timeText } from "./delivery-text.ts";

export interface UnknownFacts {
  readonly pointed: Pointed | null;
  readonly channels: readonly ChannelDescriptor[];
  readonly settings: Settings;
  readonly now: number;
  /** An account's state in words, such as `reconnecting: …`; null: no process runs. */
  readonly account: (of: { readonly channel: string; readonly accountId: string }) => string | null;
}

/**
 * What there is to look at when nothing is stored of a message (IN-17): it is older than what is kept, or it never arrived,
 * and then why that can be. One line each.
 */
export function unknownMessage({ pointed, channels, settings, now, account }: UnknownFacts): readonly string[] {
  const { eventsMs, recordsMs } = settings.retention;
  const kept = texts.kept(durationText(eventsMs), durationText(recordsMs));
  if (pointed === null) {
    const used = channels.filter(({ channel }) => settings.accounts.some((one) => one.channel === channel));
    const examples = used.flatMap(({ links }) => (links === undefined ? [] : [`  ${links.example}`]));
    return [kept, texts.pointHow, ...examples];
  }
  const { channel, sentAt } = pointed;
  if (sentAt !== null && sentAt < now - Math.max(eventsMs, recordsMs)) {
    return [`${texts.tooOld(timeText(sentAt))} ${kept}`];
  }
  const accounts = settings.accounts.filter((one) => one.channel === channel);
  if (accounts.length === 0) return [texts.notConfigured(channel)];
  const written = sentAt === null ? [] : [texts.writtenAt(timeText(sentAt))];
  return [
    [texts.neverArrived, ...written, kept].join(" "),
    ...accounts.map((one) => `  ${channel}/${one.accountId}: ${account(one) ?? texts.noProcess}`),
    texts.causes,
    ...(channels.find((one) => one.channel === channel)?.links?.unseen ?? []).map((line) => `  ${line}`),
    `  ${texts.doctor}`,
  ];
}
