import { REST } from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { Guild } from "../../support/emulators/discord/guild.ts";

interface Scene {
  dc: DiscordEmulator;
  bot: Bot;
  ann: Person;
  guild: Guild;
  channel: Channel;
  rest: REST;
  send: (body: object, channelId?: string) => Promise<{ id: string }>;
}

const NOBODY = "4711";
const command = (name: string, more: object = {}) => ({ name, description: "does it", ...more });
const setCommands = ({ rest, bot }: Scene, body: unknown) => rest.put(`/applications/${bot.id}/commands`, { body });
const file = (bytes: number) => [{ name: "a.bin", data: Buffer.alloc(bytes) }];
const button = (more: object) => ({ components: [{ type: 1, components: [{ type: 2, style: 1, ...more }] }] });

/** What is refused: status and code, where an invalid form complains, and how it is brought about. */
const REFUSALS: [string, number, number, string | null, (scene: Scene) => Promise<unknown>][] = [
  ["an unknown channel", 404, 10003, null, ({ send }) => send({ content: "x" }, NOBODY)],
  ["an id that is none", 400, 50035, "channel_id", ({ send }) => send({ content: "x" }, "general")],
  [
    "an unknown message",
    404,
    10008,
    null,
    ({ rest, channel }) => rest.get(`/channels/${channel.id}/messages/${NOBODY}`),
  ],
  ["an unknown guild", 404, 10004, null, ({ rest }) => rest.get(`/guilds/${NOBODY}`)],
  ["an unknown member", 404, 10007, null, ({ rest, guild }) => rest.get(`/guilds/${guild.id}/members/${NOBODY}`)],
  ["an unknown user", 404, 10013, null, ({ rest }) => rest.get(`/users/${NOBODY}`)],
  [
    "a guild the bot is not in",
    403,
    50001,
    null,
    ({ rest, dc, ann }) => rest.get(`/guilds/${dc.guild({ name: "o", members: [ann] }).id}`),
  ],
  [
    "a channel the bot cannot see",
    403,
    50001,
    null,
    ({ send, channel, bot }) => {
      channel.denies(bot, "ViewChannel");
      return send({ content: "x" });
    },
  ],
  [
    "a channel the bot cannot write in",
    403,
    50013,
    null,
    ({ send, channel, bot }) => {
      channel.denies(bot, "SendMessages");
      return send({ content: "x" });
    },
  ],
  [
    "a person who has blocked the bot",
    403,
    50007,
    null,
    ({ send, ann, bot }) => {
      ann.blocks(bot);
      return send({ content: "x" }, ann.dm(bot).id);
    },
  ],
  [
    "a person without a common guild",
    403,
    50007,
    null,
    ({ send, dc, bot }) => send({ content: "x" }, dc.user({ name: "Zoe" }).dm(bot).id),
  ],
  ["an empty message", 400, 50006, null, ({ send }) => send({ content: " \n" })],
  ["2001 characters", 400, 50035, "content", ({ send }) => send({ content: "x".repeat(2001) })],
  [
    "an edit to 2001 characters",
    400,
    50035,
    "content",
    async ({ send, rest, channel }) => {
      const { id } = await send({ content: "x" });
      return rest.patch(`/channels/${channel.id}/messages/${id}`, { body: { content: "x".repeat(2001) } });
    },
  ],
  ["a nonce of 26 characters", 400, 50035, "nonce", ({ send }) => send({ content: "x", nonce: "n".repeat(26) })],
  ["a field nobody knows", 400, 50035, "reply_to", ({ send }) => send({ content: "x", reply_to: "1" })],
  ["a content that is no text", 400, 50035, "content", ({ send }) => send({ content: 5 })],
  ["eleven embeds", 400, 50035, "embeds", ({ send }) => send({ embeds: Array(11).fill({ title: "x" }) })],
  [
    "embeds of more than 6000 characters",
    400,
    50035,
    "embeds",
    ({ send }) => send({ embeds: Array(2).fill({ description: "x".repeat(3001) }) }),
  ],
  [
    "allowed_mentions that say it twice",
    400,
    50035,
    "allowed_mentions",
    ({ send }) => send({ content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } }),
  ],
  ["a button without custom id", 400, 50035, "components", ({ send }) => send(button({ label: "x" }))],
  [
    "a reply to a message that is not there",
    400,
    50035,
    "message_reference",
    ({ send }) => send({ content: "x", message_reference: { message_id: NOBODY } }),
  ],
  [
    "a file of more than 10 MiB",
    413,
    40005,
    null,
    ({ rest, channel }) => rest.post(`/channels/${channel.id}/messages`, { files: file(10 * 1024 * 1024 + 1) }),
  ],
  [
    "an attachment without its file",
    400,
    50035,
    "attachments",
    ({ send }) => send({ content: "x", attachments: [{ id: "3", filename: "a" }] }),
  ],
  [
    "editing somebody else's message",
    403,
    50005,
    null,
    ({ rest, channel, ann }) =>
      rest.patch(`/channels/${channel.id}/messages/${channel.from(ann).says("x").id}`, { body: { content: "y" } }),
  ],
  [
    "deleting somebody else's message",
    403,
    50013,
    null,
    ({ rest, channel, ann }) => rest.delete(`/channels/${channel.id}/messages/${channel.from(ann).says("x").id}`),
  ],
  [
    "a reaction that is no emoji",
    400,
    10014,
    null,
    ({ rest, channel, ann }) =>
      rest.put(`/channels/${channel.id}/messages/${channel.from(ann).says("x").id}/reactions/nope/@me`),
  ],
  [
    "editing in an archived thread",
    400,
    50083,
    null,
    async ({ rest, send, channel, ann }) => {
      const thread = channel.thread("t", { by: ann });
      const { id } = await send({ content: "x" }, thread.id);
      thread.archives();
      return rest.patch(`/channels/${thread.id}/messages/${id}`, { body: { content: "y" } });
    },
  ],
  ["a message into a forum", 400, 50008, null, ({ send, guild }) => send({ content: "x" }, guild.forum("f").id)],
  [
    "a thread in a forum without a message",
    400,
    50035,
    "message",
    ({ rest, guild }) => rest.post(`/channels/${guild.forum("f").id}/threads`, { body: { name: "x" } }),
  ],
  [
    "an archive duration that does not exist",
    400,
    50035,
    "auto_archive_duration",
    ({ rest, channel }) =>
      rest.post(`/channels/${channel.id}/threads`, { body: { name: "x", auto_archive_duration: 61 } }),
  ],
  [
    "101 commands",
    400,
    30032,
    null,
    (s) =>
      setCommands(
        s,
        Array.from({ length: 101 }, (_, i) => command(`c${i}`)),
      ),
  ],
  ["a command name with a capital letter", 400, 50035, "0", (s) => setCommands(s, [command("Status")])],
  ["a command name with a space", 400, 50035, "0", (s) => setCommands(s, [command("a b")])],
  ["a command without description", 400, 50035, "0", (s) => setCommands(s, [{ name: "x" }])],
  [
    "a description of 101 characters",
    400,
    50035,
    "0",
    (s) => setCommands(s, [{ name: "x", description: "d".repeat(101) }]),
  ],
  ["two commands of one name", 400, 50035, "1", (s) => setCommands(s, [command("x"), command("x")])],
  [
    "26 choices",
    400,
    50035,
    "0",
    (s) => {
      const choices = Array.from({ length: 26 }, (_, i) => ({ name: `c${i}`, value: `v${i}` }));
      return setCommands(s, [command("x", { options: [{ type: 3, name: "o", description: "d", choices }] })]);
    },
  ],
  [
    "a command of more than 8000 characters",
    400,
    50035,
    "0",
    (s) => {
      const choices = Array.from({ length: 25 }, (_, i) => ({ name: `c${i}`, value: "v".repeat(100) }));
      const options = Array.from({ length: 4 }, (_, i) => ({ type: 3, name: `o${i}`, description: "d", choices }));
      return setCommands(s, [command("x", { options })]);
    },
  ],
  [
    "a required option after an optional one",
    400,
    50035,
    "0",
    (s) => {
      const option = { type: 3, description: "d" };
      const options = [
        { ...option, name: "a" },
        { ...option, name: "b", required: true },
      ];
      return setCommands(s, [command("x", { options })]);
    },
  ],
  [
    "an interaction nobody made",
    404,
    10062,
    null,
    ({ rest }) => rest.post(`/interactions/${NOBODY}/token/callback`, { body: { type: 5 }, auth: false }),
  ],
  [
    "an unknown webhook",
    404,
    10015,
    null,
    ({ rest, bot }) => rest.post(`/webhooks/${bot.id}/token`, { body: { content: "x" }, auth: false }),
  ],
  [
    "a page of more than 100 messages",
    400,
    50035,
    "limit",
    ({ rest, channel }) => rest.get(`/channels/${channel.id}/messages?limit=101`),
  ],
  ["a route that does not exist", 404, 0, null, ({ rest }) => rest.get("/nothing")],
  ["a method that does not exist there", 405, 0, null, ({ rest }) => rest.put("/users/@me")],
];

describe("Discord emulator: what the platform refuses", () => {
  let scene: Scene;

  beforeEach(async () => {
    const dc = await startDiscordEmulator();
    const bot = dc.bot({ username: "team_bot", messageContent: true });
    const ann = dc.user({ name: "Ann" });
    const guild = dc.guild({ name: "Work", members: [ann, bot] });
    const channel = guild.text("general");
    const rest = new REST({ api: dc.apiUrl, retries: 0, rejectOnRateLimit: () => true }).setToken(bot.token);
    const send = (body: object, id = channel.id) =>
      rest.post(`/channels/${id}/messages`, { body }) as Promise<{ id: string }>;
    scene = { dc, bot, ann, guild, channel, rest, send };
  });

  afterEach(() => scene.dc.stop());

  test.each(REFUSALS)("%s: %i, code %i", async (_what, status, code, field, act) => {
    const errors = field === null ? {} : { rawError: { errors: { [field]: expect.anything() } } };
    await expect(act(scene)).rejects.toMatchObject({ status, code, ...errors });
  });

  test("an invalid form has the platform's shape", async () => {
    await expect(scene.send({ content: "x".repeat(2001) })).rejects.toMatchObject({
      rawError: {
        message: "Invalid Form Body",
        code: 50035,
        errors: {
          content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] },
        },
      },
    });
  });

  test("an unknown or reset token: 401", async () => {
    const { dc, bot, rest, send } = scene;
    rest.setToken("nobody");
    await expect(send({ content: "x" })).rejects.toMatchObject({ status: 401 });
    dc.revokes(bot);
    rest.setToken(bot.token);
    await expect(send({ content: "x" })).rejects.toMatchObject({ status: 401 });
  });

  test("the same nonce with enforce_nonce is one message, for five minutes; without it two", async () => {
    const { send, channel } = scene;
    const first = await send({ content: "once", nonce: "n1", enforce_nonce: true });
    const again = await send({ content: "once again", nonce: "n1", enforce_nonce: true });
    expect(again).toMatchObject({ id: first.id, content: "once", nonce: "n1" });
    await send({ content: "free", nonce: "n1" });
    expect(channel.texts()).toEqual(["once", "free"]);
  });

  test("exactly at the limits everything is taken", async () => {
    await scene.send({ content: "😀".repeat(2000), nonce: "n".repeat(25) });
    await setCommands(
      scene,
      Array.from({ length: 100 }, (_, i) => command(`c${i}`, { description: "d".repeat(100) })),
    );
    expect(scene.bot.commands()).toHaveLength(100);
  });

  test("messages read by a bot without message content are empty, except its own", async () => {
    const { dc, ann, guild, channel } = scene;
    const plain = dc.bot({ username: "plain_bot" });
    guild.adds(plain);
    channel.from(ann).says("secret");
    const rest = new REST({ api: dc.apiUrl }).setToken(plain.token);
    await rest.post(`/channels/${channel.id}/messages`, { body: { content: "mine" } });
    const read = (await rest.get(`/channels/${channel.id}/messages`)) as { content: string }[];
    expect(read.map((message) => message.content)).toEqual(["mine", ""]);
  });
});
