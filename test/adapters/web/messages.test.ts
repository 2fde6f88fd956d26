import { afterEach, describe, expect, test } from "vitest";
import { pathOf } from "../../../adapters/web/address.ts";
import { pageProblems } from "../../../src/core/texts/page.ts";
import { delivery, words } from "../../contracts/adapter.ts";
import { OPERATOR, seenOn, THREAD, type WebHarness, webHarness } from "./harness.ts";

const open: WebHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) {
    await harness.adapter.stop();
    await harness[Symbol.asyncDispose]();
  }
});

async function started(options: { readonly maxBytes?: number } = {}): Promise<WebHarness> {
  const harness = await webHarness(options);
  open.push(harness);
  await harness.adapter.start(harness.host);
  return harness;
}

const pageOf = async (harness: WebHarness, route = OPERATOR): Promise<string> =>
  (await fetch(harness.url + pathOf(route))).text();
const patience = (): AbortSignal => AbortSignal.timeout(10_000);

describe("messages of people", () => {
  test("IN-2: a double click is one message, also when both requests run at once", async () => {
    const harness = await started();
    const id = "double-click-1";
    const responses = await Promise.all([harness.post("once", { id }), harness.post("once", { id })]);
    expect(responses.map((response) => response.status)).toEqual([201, 201]);
    expect(harness.host.accepted).toHaveLength(1);
    expect((await pageOf(harness)).split(`id="p-${id}"`)).toHaveLength(2);
  });

  test("SK-3: the operator's conversation is a direct one, other channels are channels; the page needs no mention", async () => {
    const harness = await started();
    await harness.host.conversations.open({ to: "general", threadId: null, title: "General" });
    await harness.post("/status");
    await harness.post("hi all", { route: { ...OPERATOR, to: "general" } });
    expect(harness.host.accepted).toMatchObject([
      { peer: { kind: "direct", id: "operator" }, mentions: { bot: false }, text: "/status", command: null },
      {
        peer: { kind: "channel", id: "general", label: "General" },
        mentions: { bot: false },
        sender: { id: "operator" },
      },
    ]);
  });

  test("IN-17: what the ingress refuses is told with its rule and does not stay in the conversation", async () => {
    const harness = await started();
    harness.host.refuse = { result: "refused", rule: "limits.perSender" };
    const response = await harness.post("too much");
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({ problem: pageProblems.refused("limits.perSender") });
    expect(await pageOf(harness)).not.toContain("too much");
  });

  test("IN-14: what was kept but not committed before a crash is handed in at the next start, once", async () => {
    const harness = await started();
    await harness.post("committed");
    harness.host.storeIsAway = true;
    expect((await harness.post("kept only")).status).toBe(503);
    await harness.adapter.stop();
    harness.host.storeIsAway = false;
    await harness.adapter.start(harness.host);
    expect(harness.host.accepted.map((event) => event.text)).toEqual(["committed", "kept only"]);
  });

  test("CH-6: stop waits for a message that is just being handed in", async () => {
    const harness = await started();
    const release = harness.host.holdAccept();
    const posted = harness.post("in the middle");
    await harness.host.until(() => harness.host.offered.length === 1, "the message");
    const order: string[] = [];
    const stopped = harness.adapter.stop().then(() => order.push("stopped"));
    await harness.host.conversations.list();
    order.push("committed");
    release();
    expect((await posted).status).toBe(201);
    await stopped;
    expect(order).toEqual(["committed", "stopped"]);
  });

  test("IN-14: messages older than a quarter of an hour are not handed in again", async () => {
    const harness = await webHarness();
    open.push(harness);
    const { host } = harness;
    await host.conversations.append({
      key: "person:long-ago-1",
      route: OPERATOR,
      author: "person",
      html: "old",
      text: "old",
      attachments: [],
    });
    host.clock.advance(15 * 60_000 + 1);
    await harness.adapter.start(host);
    expect(host.offered).toEqual([]);
  });

  test.each([
    ["nothing but spaces", "  \n", "an-id-that-fits", 400],
    ["no id of its own", "hi", "x", 400],
    ["an endless text", "x".repeat(60_001), "an-id-that-fits", 413],
  ])("CM-9: %s is refused in one sentence", async (_what, text, id, status) => {
    const harness = await started();
    const response = await harness.post(text, { id });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { problem: string }).problem).toMatch(/\.$/);
    expect(harness.host.offered).toEqual([]);
  });

  test("CH-4: an unknown conversation takes no message and shows no page", async () => {
    const harness = await started();
    const route = { ...OPERATOR, to: "nowhere" };
    expect((await harness.post("hello?", { route })).status).toBe(404);
    expect((await fetch(harness.url + pathOf(route))).status).toBe(404);
    expect((await fetch(`${harness.url}${pathOf(route)}/stream`)).status).toBe(404);
    expect(harness.host.offered).toEqual([]);
  });

  test("DL-7: markup that people type is shown as they typed it", async () => {
    const harness = await started();
    await harness.post('<img src=x onerror="alert(1)"> & <hx-partial hx-target="body">');
    const page = await pageOf(harness);
    expect(page).not.toMatch(/<img src=x|<hx-partial/);
    expect(page).toContain("&lt;img src=x");
  });
});

describe("channels and threads", () => {
  const form = (harness: WebHarness, path: string, fields: Record<string, string>) =>
    fetch(harness.url + path, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

  test("CH-4: creating a channel twice gives one, under an id made from its name", async () => {
    const harness = await started();
    for (const title of ["Über uns & co", "  Über   uns & co "]) {
      const response = await form(harness, "/web/channels", { title });
      expect([response.status, response.headers.get("location")]).toEqual([303, "/web/c/uber-uns-co"]);
    }
    const page = await pageOf(harness, { ...OPERATOR, to: "uber-uns-co" });
    expect(page.match(/Über uns &amp; co<\/a/g)).toHaveLength(1);
    expect((await form(harness, "/web/channels", { title: " " })).status).toBe(400);
    expect((await form(harness, "/web/channels", { title: "operator" })).headers.get("location")).toMatch(
      /c\/channel-/,
    );
  });

  test("FC-338: a name without anything to see is refused on a page of words; a hostile one becomes a plain line", async () => {
    const harness = await started();
    const browser = { accept: "text/html,*/*;q=0.8", referer: `${harness.url}/web/c/operator/t/t-plans-1` };
    const sent = (path: string, body: URLSearchParams | FormData | string) =>
      fetch(harness.url + path, { method: "POST", body, headers: browser, redirect: "manual" });
    const named = (path: string, title: string) => sent(path, new URLSearchParams({ title, id: "t-hostile-1" }));
    for (const blank of ["", " \t\n ", "\u200b\u2060", "\u202e\u2066", "\u3164", "\u0000"]) {
      for (const path of ["/web/channels", "/web/c/operator/threads", "/web/c/operator/rename"]) {
        const refused = await named(path, blank);
        const page = await refused.text();
        expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "text/html; charset=UTF-8"]);
        expect(page).toContain(pageProblems.noTitle);
        expect(page).toContain('href="/web/c/operator/t/t-plans-1"');
      }
    }
    for (const body of [new URLSearchParams(), "title=x", new FormData()]) {
      expect((await sent("/web/channels", body)).status).toBe(400);
    }
    const hostile = ["<script>alert(1)</script>", "a\u202eb\r\nc", "👩‍👩‍👧".repeat(40), "../../healthz?x=1#y"];
    for (const title of hostile) expect((await named("/web/channels", title)).status).toBe(303);
    const titles = (await harness.host.conversations.list()).map((one) => one.title);
    expect(titles).toEqual(
      expect.arrayContaining(["<script>alert(1)</script>", "ab c", "👩‍👩‍👧".repeat(10), hostile[3]]),
    );
    const page = await pageOf(harness);
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test("SK-5: a thread started from a message is one thread, and tells the agent what it continues", async () => {
    const harness = await started();
    const answer = await harness.adapter.send(delivery(OPERATOR, words("Shall I look deeper?")), patience());
    const message = answer.outcome === "sent" ? (answer.messageIds[0] ?? "") : "";
    const [first, second] = [
      await form(harness, "/web/c/operator/threads", { message }),
      await form(harness, "/web/c/operator/threads", { message }),
    ];
    expect(first.headers.get("location")).toBe(`/web/c/operator/t/m${message}`);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    const route = { ...OPERATOR, threadId: `m${message}` };
    expect(await pageOf(harness, route)).toContain("Shall I look deeper?");
    await harness.post("yes", { route });
    await harness.post("please", { route });
    expect(harness.host.accepted).toMatchObject([
      {
        route,
        thread: { kind: "thread", label: "Shall I look deeper?" },
        replyTo: { text: "Shall I look deeper?", fromBot: true },
      },
      { route, replyTo: null },
    ]);
  });

  test("SK-5: a thread of its own keeps the id its form was made with; a double click opens one", async () => {
    const harness = await started();
    const fields = { id: "t-made-with-the-page", title: "Plans for May" };
    for (let click = 0; click < 2; click += 1) await form(harness, "/web/c/operator/threads", fields);
    const threads = (await harness.host.conversations.list()).filter((one) => one.title === "Plans for May");
    expect(threads).toHaveLength(1);
    expect((await form(harness, "/web/c/operator/threads", { id: "m5-not-allowed", title: "x" })).status).toBe(400);
    expect((await form(harness, "/web/c/nowhere/threads", fields)).status).toBe(404);
  });
});

describe("messages of the agent", () => {
  test("DL-3: an edit or removal never reaches a message of another conversation or of a person", async () => {
    const harness = await started();
    const posted = (await (await harness.post("mine")).json()) as { id: number };
    const outcome = await harness.adapter.send(
      delivery(OPERATOR, words("yours"), { messageIds: [String(posted.id)] }),
      patience(),
    );
    expect(outcome).toMatchObject({ outcome: "failed", gone: false });
    const inThread = await harness.adapter.send(delivery(THREAD, words("there")), patience());
    const messageIds = inThread.outcome === "sent" ? inThread.messageIds : [];
    await harness.adapter.send(delivery(OPERATOR, { kind: "delete" }, { messageIds }), patience());
    expect(seenOn(await pageOf(harness, THREAD))).toHaveLength(1);
  });

  test("DL-3: a send repeated after a crash shows the content of the repetition, once", async () => {
    const harness = await started();
    await harness.adapter.send(delivery(OPERATOR, words("half a pre")), patience());
    await harness.adapter.send(delivery(OPERATOR, words("the whole")), patience());
    expect(seenOn(await pageOf(harness)).map((one) => one.text)).toEqual(["the whole"]);
  });

  test("CM-5: a private answer is marked as one", async () => {
    const harness = await started();
    const content = { ...words("only for you"), private: true } as ReturnType<typeof words>;
    await harness.adapter.send(delivery(OPERATOR, content), patience());
    expect(await pageOf(harness)).toContain("Only you can see this");
  });

  test("DL-9: an answer names the message it answers only when another one stands between", async () => {
    const harness = await started();
    const answer = (key: string) => ({ ...words(key), replyTo: "question-one" }) as ReturnType<typeof words>;
    await harness.post("question", { id: "question-one" });
    await harness.adapter.send(delivery(OPERATOR, answer("first"), { key: "first" }), patience());
    await harness.adapter.send(delivery(OPERATOR, answer("second"), { key: "second" }), patience());
    const page = await pageOf(harness);
    expect(page.match(/href="#p-question-one"/g)).toHaveLength(1);
  });

  test("CH-4: older messages come page by page and only once", async () => {
    const harness = await started();
    for (let n = 1; n <= 205; n += 1) {
      await harness.host.conversations.append({
        key: `delivery:${n}`,
        route: OPERATOR,
        author: "agent",
        html: `n${n}.`,
        text: "",
        attachments: [],
      });
    }
    const seen: string[] = [];
    let next: string | undefined = pathOf(OPERATOR);
    while (next !== undefined) {
      const page: string = await (await fetch(harness.url + next)).text();
      seen.unshift(...seenOn(page).map((one) => one.text));
      next = page.match(/hx-get="([^"]+)"/)?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 205 }, (_, index) => `n${index + 1}.`));
  });
});
