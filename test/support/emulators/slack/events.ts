import type { AppRecord, ConversationKind, ConversationRecord, SlackMessage } from "./records.ts";
import type { World } from "./world.ts";

type Event = Record<string, unknown> & { type: string };

/** `channel_type` of message events. */
export function channelType(kind: ConversationKind): "channel" | "group" | "im" | "mpim" {
  return kind === "private" ? "group" : kind;
}

/** The scope that lets an app hear an event; null: none is needed. */
function scopeFor(event: Event, conversation: ConversationRecord | null): string | null {
  const family = conversation === null ? "channels" : FAMILIES[conversation.kind];
  switch (event.type) {
    case "message":
      return `${family}:history`;
    case "app_mention":
      return "app_mentions:read";
    case "reaction_added":
    case "reaction_removed":
      return "reactions:read";
    case "member_joined_channel":
    case "member_left_channel":
    case "channel_archive":
    case "channel_deleted":
    case "group_archive":
    case "group_deleted":
      return `${family}:read`;
    case "assistant_thread_started":
    case "assistant_thread_context_changed":
      return "assistant:write";
    default:
      return null;
  }
}

/** First part of the scopes about a kind of conversation. */
export const FAMILIES = { channel: "channels", private: "groups", im: "im", mpim: "mpim" } as const;

/** How an app subscribes to an event: message events by the kind of their conversation. */
function subscriptionName(event: Event): string {
  if (event.type !== "message") return event.type;
  const kind = String(event.channel_type);
  return `message.${kind === "im" || kind === "mpim" ? kind : `${kind}s`}`;
}

/** Puts the outer frame around an event and gives it to an app, if it is subscribed and may hear it. */
export function notify(world: World, app: AppRecord, event: Event, conversation: ConversationRecord | null): void {
  if (app.tokenState !== "valid" && event.type !== "tokens_revoked" && event.type !== "app_uninstalled") return;
  const scope = scopeFor(event, conversation);
  if (scope !== null && !app.scopes.has(scope)) return;
  if (app.events !== null && !app.events.has(subscriptionName(event))) return;
  send(world, app, event);
}

/** As `notify`, without asking whether the app may hear it. */
export function send(world: World, app: AppRecord, event: Record<string, unknown>): string {
  const eventId = world.newId("Ev");
  const payload = {
    token: "emulated-verification-token",
    team_id: app.team.id,
    context_team_id: app.team.id,
    context_enterprise_id: null,
    api_app_id: app.id,
    event,
    type: "event_callback",
    event_id: eventId,
    event_time: world.seconds(),
    authorizations: [
      { enterprise_id: null, team_id: app.team.id, user_id: app.user.id, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
  // Payloads are made once: what changes later must not change what was sent.
  app.deliveries.push(structuredClone(payload), eventId);
  return eventId;
}

/** Tells every app in a conversation. */
export function announce(world: World, conversation: ConversationRecord, event: Event): void {
  for (const app of world.appsIn(conversation)) notify(world, app, event, conversation);
}

/** The order in which a message that mentions an app reaches it: as `message`, as `app_mention`. */
export type MentionOrder = "message-first" | "mention-first" | "message-only" | "mention-only";

/** Tells of a new message: `message`, and `app_mention` to whom it mentions, with the same ts. */
export function announceMessage(
  world: World,
  conversation: ConversationRecord,
  message: SlackMessage,
  order: MentionOrder = "message-first",
): void {
  const { metadata: _hidden, ...shown } = message;
  const withPlace = { channel: conversation.id, event_ts: message.ts };
  const event = { ...shown, ...withPlace, channel_type: channelType(conversation.kind) };
  for (const app of world.appsIn(conversation)) {
    const mentions =
      message.text.includes(`<@${app.user.id}>`) && conversation.kind !== "im" && message.user !== app.user.id;
    const { subtype: _subtype, ...plain } = shown;
    const asMention = (): void => notify(world, app, { ...plain, type: "app_mention", ...withPlace }, conversation);
    if (mentions && (order === "mention-first" || order === "mention-only")) asMention();
    if (!mentions || order !== "mention-only") notify(world, app, event, conversation);
    if (mentions && order === "message-first") asMention();
  }
}
