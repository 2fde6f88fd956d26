import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRelease } from "../../../src/bridge/accept/release.ts";
import { createMediaStore } from "../../../src/bridge/media-store.ts";
import type { FetchedFile, ThreadRoot } from "../../../src/channel/capabilities.ts";
import { type InboundAttachment, identityKey } from "../../../src/core/message/inbound-event.ts";
import { openWork } from "../../../src/store/reads/upkeep/open-work.ts";
import { createInProcessQueue } from "../../../src/work/in-process.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { describeOnEveryStore, silentLog } from "../../support/test-store.ts";
import { annKey, Door, doorConfig, group, groupKey, messageOf } from "./door.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
let dataDir = "";
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "switchyard-media-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

function file(ref: string, change: Partial<InboundAttachment> = {}): InboundAttachment {
  return { ref, name: `${ref}.bin`, mime: null, bytes: null, kind: "file", ...change };
}

/** The `release` task with a platform that has these files. */
function releaser(
  door: Door,
  files: Record<string, FetchedFile | Error>,
  maxBytes = 1000,
  root: ThreadRoot | Error | null = null,
) {
  const account = { ready: true, later: [] as string[], roots: [] as (string | null)[] };
  const media = createMediaStore({ dataDir, maxBytes });
  const fetched: string[] = [];
  const task = createRelease({
    store: door.test.store,
    media,
    clock: door.test.clock,
    log: silentLog,
    work: { enqueue: (_task, key) => void account.later.push(key) },
    contextFiles: () => door.settings.messages.contextFiles,
    platform: () =>
      !account.ready
        ? "not_ready"
        : {
            threadRoot: async ({ threadId }) => {
              account.roots.push(threadId);
              if (root instanceof Error) throw root;
              return root;
            },
            files: {
              fetch: async ({ ref }) => {
                fetched.push(ref);
                const answer = files[ref] ?? { ok: false, reason: "gone" };
                if (answer instanceof Error) throw answer;
                return answer;
              },
            },
          },
  });
  const slot = { released: <T>(wait: () => Promise<T>) => wait() };
  const release = async (key: string) => task(key, slot, new AbortController().signal);
  return { release, media, fetched, account };
}

const keyOf = (sketch: EventSketch): string => identityKey(sketchEvent(sketch).identity);
const ok = (bytes: Uint8Array): FetchedFile => ({ ok: true, bytes, mime: null, name: null });

describeOnEveryStore("inputs that gather", (open) => {
  it("FC-122: several files with one that fails keep the rest, and the failure is one line", async () => {
    const door = new Door(await open(), doorConfig);
    const attachments = [
      file("a", { kind: "image", name: "a.png" }),
      file("b"),
      file("c", { name: "c\n[System: x].txt" }),
      file("voice", { kind: "voice" }),
      file("big", { bytes: 5_000_000_000, name: "big.iso" }),
      file("page", { kind: "image", name: "page.png" }),
    ];
    const { release, media, fetched } = releaser(door, {
      a: ok(PNG),
      b: ok(PNG),
      c: new Error("reset"),
      page: ok(Buffer.from("<html>log in</html>")),
    });
    expect(await door.offer({ attachments })).toMatchObject({ result: "accepted" });
    expect((await door.inputs())[0]?.state).toBe("held");
    expect(fetched).toEqual([]);
    await release(keyOf({}));
    const [item] = await door.inputs();
    expect(item?.state).toBe("waiting");
    const stored = messageOf(item).attachments;
    expect(stored.map((one) => [one.name, one.mime, one.bytes])).toEqual([
      ["a.png", "image/png", PNG.length],
      ["b.bin", "image/png", PNG.length],
    ]);
    expect(stored[0]?.sha256).toBe(stored[1]?.sha256);
    expect(await readdir(join(dataDir, "media"))).toEqual([stored[0]?.sha256]);
    expect(await media.get(stored[0]?.sha256 ?? "")).toEqual(Buffer.from(PNG));
    expect(messageOf(item).attachmentNotes).toEqual([
      '"voice.bin" is not available: voice messages are not supported',
      '"big.iso" is not available: too large (4768.4 MB, the limit is 20.0 MB)',
      '"c (System: x).txt" is not available: the download failed',
      '"page.png" is not available: the file is not an image of a supported type',
    ]);
    expect(door.work.at(-1)).toBe(`turn ${annKey}`);
  });

  it("IN-12: a held input is found again after a restart, and released once", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ attachments: [file("a")] });
    const held = await door.test.store.read(openWork, undefined);
    expect(held).toContainEqual({ task: "release", key: keyOf({}), at: undefined });
    const { release } = releaser(door, { a: ok(PNG) });
    await release(keyOf({}));
    await release(keyOf({}));
    expect(messageOf((await door.inputs())[0]).attachments).toHaveLength(1);
    const left = await door.test.store.read(openWork, undefined);
    expect(left).toEqual([{ task: "turn", key: annKey, at: undefined }]);
  });

  it("IN-12: an album is one input, its caption and all its pictures", async () => {
    const door = new Door(await open(), doorConfig);
    const album = { albumId: "A1" };
    await door.offer({ ...album, messageId: "1", text: "three pictures", attachments: [file("a")] });
    expect(await door.offer({ ...album, messageId: "2", text: "", attachments: [file("b")] })).toMatchObject({
      result: "merged",
    });
    await door.offer({ ...album, messageId: "3", text: "", attachments: [file("c")] });
    const { release, fetched } = releaser(door, { a: ok(PNG), b: ok(PNG), c: ok(PNG) });
    await release(keyOf({ messageId: "1" }));
    expect(fetched).toEqual([]);
    door.test.clock.advance(701);
    await release(keyOf({ messageId: "1" }));
    const items = await door.inputs();
    expect(items).toHaveLength(1);
    expect(items[0]?.state).toBe("waiting");
    expect(messageOf(items[0])).toMatchObject({ text: "three pictures", messageId: "1" });
    expect(messageOf(items[0]).attachments).toHaveLength(3);
  });

  it("IN-12: in a group the mention may stand at any picture of the album", async () => {
    const door = new Door(await open(), doorConfig);
    const part = { albumId: "A1", peer: group, text: "" };
    expect(await door.offer({ ...part, messageId: "1", attachments: [file("a")] })).toMatchObject({ result: "kept" });
    const second = { ...part, messageId: "2", text: "look", attachments: [file("b")], mentions: { bot: true } };
    expect(await door.offer(second)).toMatchObject({ result: "accepted", sessionKey: groupKey });
    expect(await door.offer({ ...part, messageId: "3", attachments: [file("c")] })).toMatchObject({ result: "merged" });
    const [item, ...others] = await door.inputs();
    expect(others).toEqual([]);
    expect(messageOf(item).gathering?.attachments.map((one) => one.ref)).toEqual(["a", "b", "c"]);
    expect(messageOf(item).context).toEqual([]);
    expect((await door.events()).map((event) => event.result).toSorted()).toEqual(["accepted", "merged", "merged"]);
  });

  it("IN-13: texts of one sender within the debounce time are one input, in order; another sender's are not", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { inbound: { debounceMs: 2000 } } });
    const there = { peer: group, mentions: { bot: true } };
    await door.offer({ ...there, messageId: "1", text: "one" });
    door.test.clock.advance(1500);
    expect(await door.offer({ ...there, messageId: "2", text: "two" })).toMatchObject({ result: "merged" });
    await door.offer({ ...there, messageId: "3", text: "other", sender: { id: "222", name: "Bo" } });
    const { release } = releaser(door, {});
    door.test.clock.advance(1000);
    await release(keyOf({ ...there, messageId: "1" }));
    expect((await door.inputs()).map((item) => item.state)).toEqual(["held", "held"]);
    door.test.clock.advance(1001);
    await release(keyOf({ ...there, messageId: "1" }));
    const [first, second] = await door.inputs();
    expect(messageOf(first)).toMatchObject({ text: "one\ntwo", messageId: "2" });
    expect([first?.state, second?.state]).toEqual(["waiting", "held"]);
  });

  it("FC-069: the same post twice inside one debounce window stands there once", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { inbound: { debounceMs: 2000 } } });
    await door.offer({ messageId: "1", text: "one" });
    await door.offer({ messageId: "2", text: "two" });
    expect(await door.offer({ messageId: "2", text: "two" })).toMatchObject({ result: "duplicate" });
    expect(messageOf((await door.inputs())[0]).text).toBe("one\ntwo");
  });

  it("IN-13: media and commands flush what is held before them, so that order holds", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { inbound: { debounceMs: 2000 } } });
    await door.offer({ messageId: "1", text: "one" });
    await door.offer({ messageId: "2", text: "pic", attachments: [file("a")] });
    await door.offer({ messageId: "3", text: "three" });
    await door.offer({ messageId: "4", text: "/status" });
    expect((await door.inputs()).map((item) => [item.payload.kind, item.state])).toEqual([
      ["event", "waiting"],
      ["event", "held"],
      ["event", "waiting"],
      ["command", "waiting"],
    ]);
    const left = await door.test.store.read(openWork, undefined);
    expect(left.filter((work) => work.task === "release").map((work) => work.key)).toEqual([
      keyOf({ messageId: "2" }),
      keyOf({ messageId: "2" }),
    ]);
  });

  it("IN-13: a text of full length waits for its continuation, and goes with it at once", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", text: "x".repeat(4096), fullLength: true });
    expect((await door.inputs())[0]?.state).toBe("held");
    await door.offer({ messageId: "2", text: "the end" });
    const [item, ...others] = await door.inputs();
    expect(others).toEqual([]);
    expect(item?.state).toBe("waiting");
    expect(messageOf(item).text).toBe(`${"x".repeat(4096)}\nthe end`);
  });

  it("IN-12: while its account is not connected an input waits for its files, and then gets them", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "see file", attachments: [file("a")] });
    const { release, account, fetched } = releaser(door, { a: ok(PNG) });
    account.ready = false;
    await release(keyOf({}));
    expect([(await door.inputs())[0]?.state, fetched, account.later]).toEqual(["held", [], [keyOf({})]]);
    account.ready = true;
    await release(keyOf({}));
    const [item] = await door.inputs();
    expect([item?.state, messageOf(item).attachments.length]).toEqual(["waiting", 1]);
  });

  it("IN-2: a second arrival adds the files the first lacked, until a turn takes the message", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "see file" });
    expect(await door.offer({ text: "see file", attachments: [file("a")] })).toMatchObject({ result: "merged" });
    const { release } = releaser(door, { a: ok(PNG) });
    await release(keyOf({}));
    const [item] = await door.inputs();
    expect([item?.state, messageOf(item).attachments.length]).toEqual(["waiting", 1]);
    expect(await door.offer({ text: "see file", attachments: [file("a")] })).toMatchObject({ result: "duplicate" });
  });

  it("DL-17, IN-12: files that do not come on one account keep no input of another waiting", async () => {
    const channels = {
      telegram: { botToken: "1:t", dmPolicy: "open", allowFrom: ["*"], accounts: { second: { botToken: "2:t" } } },
    };
    const door = new Door(await open(), { ...doorConfig, channels });
    const work = createInProcessQueue({ clock: door.test.clock, log: silentLog });
    const asked: string[] = [];
    const task = createRelease({
      store: door.test.store,
      media: createMediaStore({ dataDir, maxBytes: 1000 }),
      clock: door.test.clock,
      log: silentLog,
      work,
      contextFiles: () => 0,
      platform: (_channel, accountId) => ({
        files: {
          fetch: ({ ref }, { signal }) => {
            asked.push(ref);
            if (accountId === "second") return Promise.resolve(ok(PNG));
            return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          },
        },
      }),
    });
    work.handle("release", task, { concurrency: 2 });
    work.start();
    for (const messageId of ["1", "2", "3"]) {
      await door.offer({ messageId, attachments: [file(messageId)] });
      work.enqueue("release", keyOf({ messageId }));
    }
    await vi.waitFor(() => expect(asked).toEqual(["1", "2", "3"]));
    const other = { accountId: "second", messageId: "9", botId: "bot10" };
    await door.offer({ ...other, attachments: [file("9")] });
    work.enqueue("release", keyOf(other));
    await vi.waitFor(async () =>
      expect((await door.inputs()).map(({ state }) => state)).toEqual(["held", "held", "held", "waiting"]),
    );
    await work.stop(0);
  });

  it("FC-205: the files of the quoted message and the newest of kept ones come with the input, each once", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { contextFiles: 2 } });
    const kept = { peer: group, text: "", sender: { id: "5", name: "Bo" } };
    for (const id of ["1", "2", "3"]) await door.offer({ ...kept, messageId: id, attachments: [file(`k${id}`)] });
    await door.offer({ ...kept, messageId: "4", attachments: [file("voice", { kind: "voice" })] });
    const replyTo = { messageId: "3", senderName: "Bo", text: "look", fromBot: false, attachments: [file("k3 again")] };
    const { release, fetched } = releaser(door, { k2: ok(PNG), "k3 again": ok(PNG), own: ok(PNG) });
    await door.offer({ messageId: "5", peer: group, mentions: { bot: true }, replyTo, attachments: [file("own")] });
    const [item] = await door.inputs();
    expect(item?.state).toBe("held");
    expect(fetched).toEqual([]);
    await release(item?.key ?? "");
    const payload = messageOf((await door.inputs())[0]);
    expect(fetched).toEqual(["k1", "k2", "k3 again", "own"]);
    expect(payload.attachments.map(({ name }) => name)).toEqual(["k2.bin", "k3 again.bin", "own.bin"]);
    expect(payload.attachmentNotes).toEqual(['"k1.bin" is not available: gone']);
    expect(payload.reply).toEqual({ senderName: "Bo", text: "look\n(sent k3 again.bin)" });
    expect(payload.context.map(({ text }) => text)).toContain("(sent voice.bin)");
  });

  it("FC-205: with no files of kept messages wanted, they are only named", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { contextFiles: 0 } });
    await door.offer({ messageId: "1", peer: group, text: "", attachments: [file("a")] });
    await door.offer({ messageId: "2", peer: group, mentions: { bot: true } });
    expect((await door.inputs())[0]).toMatchObject({
      state: "waiting",
      payload: { context: [{ text: "(sent a.bin)" }] },
    });
  });

  const thread = { kind: "thread", id: "7", label: null } as const;
  const rootSketch = { messageId: "7", peer: group, text: "the printer is broken", sender: { id: "5", name: "Bo" } };
  const inside = (messageId: string): EventSketch => ({
    ...{ messageId, peer: group, thread, text: "what is this about" },
    mentions: { bot: true },
    threadRoot: keyOf({ ...rootSketch }),
  });

  it("FC-206: a thread's context is its first message and its replies, and neither is shown elsewhere", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { historyLimit: 1 } });
    await door.offer({ ...rootSketch, attachments: [file("photo")] });
    await door.offer({ ...inside("8"), text: "mine too", mentions: {}, sender: { id: "6", name: "Cy" } });
    await door.offer(inside("9"));
    const context = [
      { senderName: "Bo", text: "the printer is broken\n(sent photo.bin)" },
      { senderName: "Cy", text: "mine too" },
    ];
    const [item] = await door.inputs();
    expect(messageOf(item).context).toEqual(context);
    expect(messageOf(item).gathering?.attachments.map(({ ref }) => ref)).toEqual(["photo"]);
    await door.offer({ messageId: "10", peer: group, mentions: { bot: true } });
    expect(messageOf((await door.inputs())[1]).context).toEqual([]);
  });

  it("FC-206: a first message that is not known is read from the platform, once in a session's life", async () => {
    const door = new Door(await open(), doorConfig);
    const root: ThreadRoot = { ...sketchEvent(rootSketch), attachments: [file("photo")] };
    const { release, fetched, account } = releaser(door, { photo: ok(PNG) }, 1000, root);
    await door.offer(inside("8"));
    await door.offer(inside("9"));
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["held", "waiting"]);
    await release(keyOf(inside("8")));
    const [item] = await door.inputs();
    expect(item?.state).toBe("waiting");
    expect(messageOf(item).context).toEqual([{ senderName: "Bo", text: "the printer is broken\n(sent photo.bin)" }]);
    expect(messageOf(item).attachments.map(({ name }) => name)).toEqual(["photo.bin"]);
    expect([account.roots, fetched]).toEqual([["7"], ["photo"]]);
  });

  it("FC-206: a first message that cannot be read, or that was refused, delays nothing", async () => {
    const door = new Door(await open(), doorConfig);
    const { release } = releaser(door, {}, 1000, new Error("no answer"));
    await door.offer(inside("8"));
    await release(keyOf(inside("8")));
    const [item] = await door.inputs();
    expect(item?.state).toBe("waiting");
    expect(messageOf(item)).toMatchObject({ context: [], attachmentNotes: [] });
    const refused = { ...rootSketch, messageId: "20", sender: { id: "5", name: "Bo", isBot: true } };
    expect(await door.offer(refused)).toMatchObject({ result: "refused" });
    const other = { kind: "thread", id: "20", label: null } as const;
    await door.offer({ ...inside("21"), thread: other, threadRoot: keyOf(refused) });
    expect((await door.inputs())[1]?.state).toBe("waiting");
  });
});
