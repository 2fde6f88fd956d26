import { readFileSync } from "node:fs";
import { ComponentType, EmbedType, GatewayDispatchEvents } from "discord-api-types/v10";
import type { Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import { createPackets } from "../../adapters/discord/gateway/packets.ts";
import { wordsOfComponents } from "../../adapters/discord/inbound/components.ts";
import { contentOf, type DiscordMessage } from "../../adapters/discord/inbound/content.ts";
import { wordsOfBlocks } from "../../adapters/slack/inbound/blocks.ts";
import { readOuter } from "../../adapters/slack/inbound/event-shape.ts";
import { readEvent } from "../../adapters/slack/inbound/inbound.ts";
import { ALLOWED_UPDATES, readUpdate } from "../../adapters/telegram/inbound/inbound.ts";
import { ignoredEvent } from "../../src/core/texts/rules.ts";

/*
 * Every kind that a platform's published types know is decided here: it is read, or why nothing is right. A new kind turns a test red.
 * The kinds of one message (fields, subtypes, types) are in each platform's `every-kind.test.ts`.
 */

/** Why nothing is right. */
const NOT_A_MESSAGE = "says nothing to the agent; no person waits for an answer";
const NOT_ASKED_FOR = "comes only to apps that offer this, and this one does not";
const ELSEWHERE = "what it tells comes with another event that is read";

function published(file: string, pattern: RegExp): readonly string[] {
  const types = readFileSync(new URL(`../../node_modules/${file}`, import.meta.url), "utf8");
  return [...new Set([...types.matchAll(pattern)].map(([, name = ""]) => name))];
}

function bodyOf(file: string, name: string): readonly string[] {
  const types = readFileSync(new URL(`../../node_modules/${file}`, import.meta.url), "utf8");
  const [, body = ""] = new RegExp(`interface ${name}(?: extends [^{]+)? \\{\n([\\s\\S]*?)\n\\}`).exec(types) ?? [];
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = ""]) => field);
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted();

describe("Telegram's updates", () => {
  const NOTHING: Readonly<Record<string, string>> = {
    update_id: "the number of the update",
    business_connection: NOT_ASKED_FOR,
    business_message: NOT_ASKED_FOR,
    edited_business_message: NOT_ASKED_FOR,
    deleted_business_messages: NOT_ASKED_FOR,
    guest_message: NOT_ASKED_FOR,
    message_reaction_count: NOT_A_MESSAGE,
    inline_query: NOT_ASKED_FOR,
    chosen_inline_result: NOT_ASKED_FOR,
    shipping_query: NOT_ASKED_FOR,
    pre_checkout_query: NOT_ASKED_FOR,
    purchased_paid_media: NOT_ASKED_FOR,
    poll: NOT_A_MESSAGE,
    poll_answer: NOT_A_MESSAGE,
    chat_member: NOT_A_MESSAGE,
    chat_join_request: NOT_ASKED_FOR,
    chat_boost: NOT_A_MESSAGE,
    removed_chat_boost: NOT_A_MESSAGE,
    managed_bot: NOT_ASKED_FOR,
    subscription: NOT_ASKED_FOR,
    stopped_message_generation: NOT_ASKED_FOR,
  };

  it("FC-203: every kind of update is asked for and read, or decided here", () => {
    const kinds = bodyOf("@gramio/types/out/objects.d.ts", "TelegramUpdate");
    expect(sorted(kinds)).toEqual(sorted([...ALLOWED_UPDATES, ...Object.keys(NOTHING)]));
  });

  it.each(Object.keys(NOTHING))("FC-203: %s starts nothing", (kind) => {
    const bot = { id: "9", username: "switchy_bot", hasTopics: false, readsAllGroupMessages: false };
    const update = { [kind]: {}, update_id: 1 } as unknown as Update;
    const reading = { bot, accountId: "default", now: 0, commandNames: new Map<string, string>() };
    expect(readUpdate(update, reading)).toEqual({ kind: "nothing", why: ignoredEvent.unusedKind });
  });
});

describe("Discord's events", () => {
  const READ = [
    ...["MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "INTERACTION_CREATE"],
    ...["GUILD_CREATE", "GUILD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE"],
    ...["THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_LIST_SYNC"],
  ];
  /** By the beginning of their names. */
  const NOTHING: readonly (readonly [RegExp, string])[] = [
    [/^(READY|RESUMED|RATE_LIMITED)$/, "the connection's own, which the client reads"],
    [/^(APPLICATION_COMMAND|ENTITLEMENT|SUBSCRIPTION|INTEGRATION|GUILD_INTEGRATIONS|WEBHOOKS|INVITE)/, NOT_ASKED_FOR],
    [/^(AUTO_MODERATION|GUILD_AUDIT_LOG|GUILD_BAN|GUILD_MEMBER|GUILD_ROLE|GUILD_UPDATE)/, NOT_A_MESSAGE],
    [/^(GUILD_EMOJIS|GUILD_STICKERS|GUILD_SCHEDULED|GUILD_SOUNDBOARD|SOUNDBOARD|STAGE|VOICE)/, NOT_A_MESSAGE],
    [/^(MESSAGE_REACTION|MESSAGE_POLL_VOTE|PRESENCE|TYPING|USER_UPDATE|CHANNEL_PINS|CHANNEL_INFO)/, NOT_A_MESSAGE],
    [/^(CHANNEL_CREATE|THREAD_MEMBER)/, ELSEWHERE],
  ];
  const kinds = Object.values(GatewayDispatchEvents);

  function heard(kind: string): number {
    let calls = 0;
    const called = (): void => {
      calls += 1;
    };
    const packets = createPackets({
      intake: {
        inOrder: called,
        take: async () => null,
        reading: async () => null,
        idle: async () => undefined,
      },
      directory: {
        place: async () => null,
        member: async () => null,
        nameOf: () => null,
        placesOf: () => [
          { id: "6", kind: "channel", name: "a", guildId: "5", parent: null, recipient: null, botRoleId: null },
        ],
        isReadable: () => true,
        forget: called,
      },
      seen: {
        conversations: () => [],
        upTo: async () => null,
        note: async () => undefined,
        follow: async () => undefined,
        forget: async () => undefined,
      },
      horizon: { hold: () => () => undefined },
      onGuild: called,
      onInteraction: called,
    } as unknown as Parameters<typeof createPackets>[0]);
    const thread = { id: "7", parent_id: "6", guild_id: "5", type: 11, thread_metadata: { archived: false } };
    const data = { ...thread, channel_id: "6", ids: ["1"], threads: [thread], channels: [] };
    packets.take({ t: kind, s: 1, d: data }, 0);
    return calls;
  }

  it("FC-203: every event of the gateway is read, or decided here", () => {
    const undecided = kinds.filter((kind) => !READ.includes(kind) && !NOTHING.some(([pattern]) => pattern.test(kind)));
    expect(undecided).toEqual([]);
    expect(READ.filter((kind) => NOTHING.some(([pattern]) => pattern.test(kind)))).toEqual([]);
  });

  it.each(kinds.filter((kind) => !READ.includes(kind)))("FC-203: %s starts nothing", (kind) => {
    expect(heard(kind)).toBe(0);
  });

  it.each(READ.filter((kind) => !["THREAD_CREATE", "THREAD_LIST_SYNC"].includes(kind)))(
    "FC-203: %s is read",
    (kind) => {
      expect(heard(kind)).toBeGreaterThan(0);
    },
  );

  it("FC-204: every field of a message is read, or decided here", () => {
    const read = [
      ...["id", "channel_id", "author", "content", "timestamp", "edited_timestamp", "attachments", "embeds", "type"],
      ...["webhook_id", "activity", "message_reference", "flags", "referenced_message", "components", "sticker_items"],
      ...["poll", "message_snapshots", "shared_client_theme", "mentions"],
    ];
    const shown = "how it is shown, counted or filed; nobody writes it";
    const nothing: Record<string, string> = {
      ...Object.fromEntries(
        ["tts", "reactions", "nonce", "pinned", "position", "thread"].map((field) => [field, shown]),
      ),
      ...Object.fromEntries(
        ["application", "application_id", "interaction_metadata", "interaction"].map((field) => [field, shown]),
      ),
      mention_everyone: "`@everyone` does not address the bot",
      mention_roles: ELSEWHERE,
      mention_channels: ELSEWHERE,
      stickers: "an older form of sticker_items",
      role_subscription_data: "belongs to a service message",
      call: "belongs to a service message",
      resolved: "what menus of apps name by id",
    };
    const file = "discord-api-types/payloads/v10/message.d.ts";
    const fields = ["APIBaseMessageNoChannel", "APIBaseMessage", "APIMessageMentions"].flatMap((name) =>
      bodyOf(file, name),
    );
    expect(sorted([...new Set(fields)])).toEqual(sorted([...read, ...Object.keys(nothing)]));
  });

  const text = { type: ComponentType.TextDisplay, content: "words" };
  const COMPONENTS: Readonly<Record<keyof typeof ComponentType, readonly [object, string]>> = {
    ActionRow: [{ components: [{ type: ComponentType.Button, label: "Go" }] }, "Go"],
    Button: [{ label: "Go" }, "Go"],
    StringSelect: [{ placeholder: "Pick", options: [{ label: "One", description: "first" }] }, "Pick\nOne\nfirst"],
    SelectMenu: [{ placeholder: "Pick", options: [{ label: "One" }] }, "Pick\nOne"],
    TextInput: [{ label: "Name", placeholder: "yours" }, "Name\nyours"],
    UserSelect: [{ placeholder: "Who" }, "Who"],
    RoleSelect: [{ placeholder: "Role" }, "Role"],
    MentionableSelect: [{ placeholder: "Whom" }, "Whom"],
    ChannelSelect: [{ placeholder: "Where" }, "Where"],
    Section: [{ components: [text], accessory: { type: ComponentType.Button, label: "Go" } }, "words\nGo"],
    TextDisplay: [{ content: "words" }, "words"],
    Thumbnail: [{ description: "a cat", media: { url: "u" } }, "a cat"],
    MediaGallery: [{ items: [{ description: "a cat", media: { url: "u" } }] }, "a cat"],
    File: [{ file: { url: "attachment://a.txt" }, name: "a.txt" }, ""],
    Separator: [{}, ""],
    ContentInventoryEntry: [{}, ""],
    Container: [{ components: [text] }, "words"],
    Label: [
      { label: "Name", description: "why", component: { type: ComponentType.TextInput, placeholder: "you" } },
      "Name\nwhy\nyou",
    ],
    FileUpload: [{}, ""],
    RadioGroup: [{ options: [{ label: "One" }] }, "One"],
    CheckboxGroup: [{ options: [{ label: "One" }] }, "One"],
    Checkbox: [{ label: "Yes" }, "Yes"],
  };

  it.each(Object.keys(ComponentType).filter((name) => !/^\d+$/.test(name)))(
    "FC-204: a component %s gives its words",
    (name) => {
      const [fields, words] = COMPONENTS[name as keyof typeof ComponentType] ?? [{}, "undecided"];
      const type = ComponentType[name as keyof typeof ComponentType];
      expect(wordsOfComponents([{ type, ...fields }])).toBe(words);
    },
  );

  it.each(Object.values(EmbedType))("FC-204: an embed of type %s is an app's words, and a person's preview", (type) => {
    const embed = { type, title: "CPU", fields: [{ name: "Host", value: "db1" }] };
    const message = { type: 0, content: "", attachments: [], embeds: [embed], author: { id: "1", bot: true } };
    const byApp = contentOf(message as unknown as DiscordMessage);
    expect(byApp.shown).toContain("Host: db1");
    const byPerson = contentOf({ ...message, author: { id: "1" } } as unknown as DiscordMessage);
    expect(byPerson).toMatchObject({ shown: "", quotes: [{ kind: "preview" }] });
  });
});

describe("Slack's events", () => {
  const READ = [
    ...["message", "app_mention", "reaction_added", "assistant_thread_started", "tokens_revoked", "app_uninstalled"],
    ...["channel_left", "group_left", "channel_deleted", "group_deleted", "channel_archive", "group_archive"],
    ...["channel_unarchive", "group_unarchive"],
  ];
  const NOTHING: readonly (readonly [RegExp, string])[] = [
    [/^app_(context|deleted|home|installed|rate|requested|uninstalled_team)/, NOT_ASKED_FOR],
    [/^agent_session_|^assistant_thread_context/, "tells how a conversation is shown; its words come as messages"],
    [/^(call|workflow|function|entity|link_shared|shared_channel|invite|message_metadata)/, NOT_ASKED_FOR],
    [/^(channel|group|im)_(close|open|created?|rename|history_changed|id_changed|shared|unshared)/, NOT_A_MESSAGE],
    [/^(dnd|email|emoji|pin|star|subteam|team|user|grid|member)_/, NOT_A_MESSAGE],
    [/^file_/, "files come with the message they are shared in"],
    [/^reaction_removed$/, NOT_A_MESSAGE],
  ];
  const files = new URL("../../node_modules/@slack/types/dist/events/index.d.ts", import.meta.url);
  const kinds = [
    ...new Set(
      [...readFileSync(files, "utf8").matchAll(/from '\.\/([\w-]+)'/g)].flatMap(([, name = ""]) =>
        published(`@slack/types/dist/events/${name}.d.ts`, /^ {4}type: '(\w+)'/gm),
      ),
    ),
  ].filter((kind) => !["button", "channel", "user", "url"].includes(kind));
  const bot = { userId: "U0BOT", botId: "B0BOT", teamId: "T1", teamUrl: "https://x.slack.com/" };
  const directory = { people: new Map(), places: new Map(), groups: new Map(), assistantThreads: new Set<string>() };

  it("FC-203: every event is read, or decided here", () => {
    expect(kinds.length).toBeGreaterThan(80);
    const undecided = kinds.filter((kind) => !READ.includes(kind) && !NOTHING.some(([pattern]) => pattern.test(kind)));
    expect(undecided).toEqual([]);
    expect(READ.filter((kind) => !kinds.includes(kind))).toEqual([]);
  });

  it.each(kinds.filter((kind) => !READ.includes(kind)))("FC-203: %s starts nothing", (type) => {
    const fact = readEvent(readOuter({ event: { type } }), { bot, accountId: "default", now: 0, directory });
    expect(fact).toEqual({ kind: "nothing", why: ignoredEvent.unusedKind });
  });

  it.each(READ)("FC-203: %s is read", (type) => {
    const place = { channel: "C1", user: "U1", ts: "1790000100.000200", text: "hi", event_ts: "1790000100.000200" };
    const thread = { assistant_thread: { user_id: "U1", channel_id: "D1", thread_ts: place.ts } };
    const more = { reaction: "eyes", item: { type: "message", channel: "C1", ts: place.ts }, ...thread };
    const outer = readOuter({ event: { type, ...place, ...more } });
    const fact = readEvent(outer, { bot, accountId: "default", now: 0, directory });
    expect(fact).not.toEqual({ kind: "nothing", why: ignoredEvent.unusedKind });
  });

  const plain = (text: string) => ({ type: "plain_text", text });
  const rich = (text: string) => ({
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  });
  const BLOCKS: Readonly<Record<string, readonly [object, string]>> = {
    actions: [{ elements: [{ type: "button", text: plain("Go"), action_id: "a" }] }, "Go"],
    alert: [{ text: plain("careful") }, "careful"],
    card: [{ title: { type: "mrkdwn", text: "Card" }, body: { type: "mrkdwn", text: "inside" } }, "Card\ninside"],
    carousel: [{ elements: [{ type: "card", title: { type: "mrkdwn", text: "Card" } }] }, "Card"],
    container: [{ title: plain("Box"), child_blocks: [{ type: "section", text: plain("inside") }] }, "Box\ninside"],
    context: [{ elements: [{ type: "mrkdwn", text: "5 min ago" }] }, "5 min ago"],
    context_actions: [{ elements: [{ type: "feedback_buttons", positive_button: { text: plain("Good") } }] }, "Good"],
    data_table: [
      {
        caption: "Hosts",
        rows: [
          [
            { type: "raw_text", text: "db1" },
            { type: "raw_number", value: 7, text: "7" },
          ],
        ],
      },
      "Hosts\ndb1 | 7",
    ],
    divider: [{}, ""],
    file: [{ source: "remote", external_id: "x" }, ""],
    header: [{ text: plain("Head") }, "Head"],
    image: [{ title: plain("Chart"), alt_text: "a graph" }, "Chart\na graph"],
    input: [{ label: plain("Name"), hint: plain("yours"), element: { type: "plain_text_input" } }, "Name\nyours"],
    markdown: [{ text: "**bold**" }, "**bold**"],
    plan: [{ title: "Plan", tasks: [{ type: "task_card", title: "Step", output: rich("done") }] }, "Plan\nStep\ndone"],
    rich_text: [{ elements: rich("words").elements }, "words"],
    section: [{ text: plain("words"), fields: [plain("more")] }, "words\nmore"],
    table: [{ rows: [[{ type: "raw_text", text: "a" }, rich("b")]] }, "a | b"],
    task_card: [{ task_id: "1", title: "Step", details: rich("why"), status: "complete" }, "Step\nwhy"],
    video: [{ title: plain("Demo"), alt_text: "demo", description: plain("how") }, "Demo\ndemo\nhow"],
  };

  it("FC-204: every kind of block in the published types is decided here", () => {
    const types = published("@slack/types/dist/block-kit/blocks.d.ts", /^ {4}type: '(\w+)'/gm);
    expect(sorted(types)).toEqual(sorted(Object.keys(BLOCKS)));
  });

  it.each(Object.entries(BLOCKS))("FC-204: a block of kind %s gives its words", (type, [fields, words]) => {
    expect(wordsOfBlocks([{ type, ...fields }])).toBe(words);
  });
});
