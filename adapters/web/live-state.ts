import type { TurnProgress } from "../../src/channel/capabilities.ts";
import type { LoggedMessage } from "../../src/channel/conversation-log.ts";
import { conversationKey, type Route } from "../../src/core/delivery/route.ts";

const REMEMBERED = 500;

/** What the page shows of a conversation beyond its kept messages; a restart forgets it, and the next event tells it anew. */
export interface LiveState {
  /** The message as its preview shows it now; without a preview, as it is kept. */
  shown(message: LoggedMessage): LoggedMessage & { readonly streaming: boolean };
  /** Null: the message has its final content already, so a late preview must not overwrite it. */
  preview(message: LoggedMessage, html: string): void;
  previewed(messageId: number): LoggedMessage | null;
  isFinal(messageId: number): boolean;
  finish(messageId: number): void;
  progress(progress: TurnProgress): void;
  progressOf(route: Route): readonly TurnProgress[];
  setTyping(route: Route, typing: boolean): void;
  isTyping(route: Route): boolean;
}

export function createLiveState(): LiveState {
  const previews = new Map<number, { readonly message: LoggedMessage; readonly html: string }>();
  const final = new Set<number>();
  const progress = new Map<string, Map<string, TurnProgress>>();
  const typing = new Set<string>();
  return {
    shown(message) {
      const preview = previews.get(message.id);
      return preview === undefined
        ? { ...message, streaming: false }
        : { ...message, html: preview.html, streaming: true };
    },
    preview(message, html) {
      previews.delete(message.id);
      previews.set(message.id, { message, html });
      forgetOldest(previews);
    },
    previewed: (id) => previews.get(id)?.message ?? null,
    isFinal: (id) => final.has(id),
    finish(id) {
      previews.delete(id);
      final.add(id);
      forgetOldest(final);
    },
    progress(shown) {
      const key = conversationKey(shown.route);
      const ofRoute = progress.get(key) ?? new Map<string, TurnProgress>();
      if (shown.state === "ended") ofRoute.delete(shown.sessionKey);
      else ofRoute.set(shown.sessionKey, shown);
      if (ofRoute.size === 0) progress.delete(key);
      else progress.set(key, ofRoute);
    },
    progressOf: (route) => [...(progress.get(conversationKey(route))?.values() ?? [])],
    setTyping(route, isTyping) {
      if (isTyping) typing.add(conversationKey(route));
      else typing.delete(conversationKey(route));
    },
    isTyping: (route) => typing.has(conversationKey(route)),
  };
}

/** Insertion order is age; a turn that never finished its preview must not keep it for ever. */
function forgetOldest(known: { readonly size: number; keys(): Iterator<number>; delete(id: number): boolean }): void {
  const oldest = known.keys().next();
  if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value);
}
