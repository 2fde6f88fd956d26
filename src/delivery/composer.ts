import type { Renderer } from "../channel/capabilities.ts";
import type { NewDelivery } from "../core/delivery/delivery.ts";
import type { Route } from "../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import { PLAIN_RENDERER } from "./plain-renderer.ts";
import { type AnswerPlace, answerDeliveries, prepareAnswer } from "./way-out.ts";

/** A message that is no answer: text and files to a conversation. */
export interface ComposedMessage {
  readonly route: Route;
  /** Markdown; null: files only. */
  readonly text: string | null;
  readonly files: readonly StoredAttachment[];
  /** Its identity: the same message composed again has the same deliveries (DL-2). */
  readonly key: string;
  /** `delivery.maxChunks`. */
  readonly maxChunks: number;
}

/** PORT for whoever writes to a conversation it does not answer in (ST-40). Nothing that is for nobody makes no delivery. */
export type Compose = (message: ComposedMessage) => Promise<readonly NewDelivery[]>;

export function createCompose(deps: {
  readonly renderer: (channel: ChannelId, accountId: AccountId) => Renderer | null;
  readonly storeFile: AnswerPlace["storeFile"];
}): Compose {
  return async ({ route, text, files, key, maxChunks }) => {
    const renderer = deps.renderer(route.channel, route.accountId) ?? PLAIN_RENDERER;
    const messages =
      text === null
        ? []
        : await answerDeliveries(prepareAnswer({ text, renderer, maxChunks }), {
            route,
            keyAt: (position) => `${key}:${position}`,
            replyTo: null,
            replyToMode: "off",
            private: false,
            storeFile: deps.storeFile,
          });
    const attached = files.map((file, at): NewDelivery => {
      return { key: `${key}:file:${at}`, route, content: { kind: "file", file, caption: "", replyTo: null } };
    });
    return [...messages, ...attached];
  };
}
