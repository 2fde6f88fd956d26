import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createEventStream, serverSentEvent } from "../../../adapters/web/live-state.ts";
import { delivery, words } from "../../contracts/adapter.ts";
import { OPERATOR, THREAD, type WebHarness, webHarness } from "./harness.ts";

const open: WebHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) {
    await harness.adapter.stop();
    await harness[Symbol.asyncDispose]();
  }
});

async function started(): Promise<WebHarness> {
  const harness = await webHarness();
  open.push(harness);
  await harness.adapter.start(harness.host);
  return harness;
}

const patience = (): AbortSignal => AbortSignal.timeout(10_000);

/** Reads one stream's events until one matches; returns those since the match before. */
async function watch(harness: WebHarness, path = "/web/c/operator") {
  const aborter = new AbortController();
  const response = await fetch(`${harness.url}${path}/stream`, { signal: aborter.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) throw new Error(`ended before ${pattern}: ${text}`);
        text += chunk.value;
      }
      const all = text;
      text = "";
      return all;
    },
    async untilEnd(): Promise<void> {
      while (!(await reader?.read())?.done);
    },
    end: () => aborter.abort(),
  };
}

describe("the stream of a conversation", () => {
  test("CH-4: it begins with everything there is, so that a reconnect misses nothing", async () => {
    const harness = await started();
    await harness.post("before");
    const viewer = await watch(harness);
    const text = await viewer.until(/\n\n/);
    expect(text).toMatch(/hx-target="#log" hx-swap="innerMorph"/);
    expect(text).toContain("before");
    await harness.post("after");
    expect(await viewer.until(/upsert.*after/s)).toContain("after");
    viewer.end();
  });

  test("TN-11: previews change the message live without being stored; the final text replaces them, and none comes after", async () => {
    const harness = await started();
    const sent = await harness.adapter.send(delivery(OPERATOR, words("one")), patience());
    const messageIds = sent.outcome === "sent" ? sent.messageIds : [];
    const viewer = await watch(harness);
    const preview = (rich: string) =>
      harness.adapter.capabilities.edits?.preview(OPERATOR, messageIds[0] ?? "", { rich, plain: "" }, patience());
    await preview("one two");
    await viewer.until(/streaming.*one two/s);
    const late = await watch(harness);
    expect(await late.until(/\n\n/)).toMatch(/streaming.*one two/s);
    expect((await harness.host.conversations.get(Number(messageIds[0])))?.html).toBe("one");
    await harness.adapter.send(delivery(OPERATOR, words("one two three"), { messageIds }), patience());
    await viewer.until(/one two three/);
    await preview("one tw");
    const after = await watch(harness);
    expect(await after.until(/\n\n/)).not.toMatch(/streaming/);
    for (const one of [viewer, late, after]) one.end();
  });

  test("FC-039: what happens in a thread is told to its viewers only", async () => {
    const harness = await started();
    const [inThread, inChannel] = [await watch(harness, "/web/c/operator/t/t-plans-1"), await watch(harness)];
    await harness.adapter.send(delivery(THREAD, words("in the thread")), patience());
    await harness.adapter.send(delivery(OPERATOR, words("in the channel"), { key: "k2" }), patience());
    expect(await inChannel.until(/in the channel/)).not.toContain("in the thread");
    expect(await inThread.until(/in the thread/)).toContain("in the thread");
    for (const one of [inThread, inChannel]) one.end();
  });

  test("SB-2: running sub-agents and typing are shown, and vanish when they end", async () => {
    const harness = await started();
    const viewer = await watch(harness);
    const progress = {
      route: OPERATOR,
      sessionKey: "s",
      state: "running",
      lines: ["sub-agent count: running 3 s"],
    } as const;
    harness.adapter.capabilities.progress?.show(progress);
    await viewer.until(/#live.*sub-agent count: running 3 s/s);
    await harness.adapter.capabilities.typing?.start(OPERATOR);
    await viewer.until(/is writing/);
    harness.adapter.capabilities.progress?.show({ ...progress, state: "ended", lines: [] });
    await harness.adapter.capabilities.typing?.stop?.(OPERATOR);
    const late = await watch(harness);
    expect(await late.until(/\n\n/)).not.toMatch(/sub-agent count|is writing/);
    for (const one of [viewer, late]) one.end();
  });

  test("OP-9: stopping ends every stream", async () => {
    const harness = await started();
    const viewer = await watch(harness);
    await viewer.until(/\n\n/);
    await harness.adapter.stop();
    await viewer.untilEnd();
  });

  test("CH-4: a client that reads nothing never holds up the others", async () => {
    const harness = await started();
    const { port } = new URL(harness.url);
    const stuck = connect(Number(port), "127.0.0.1");
    stuck.pause();
    stuck.on("error", () => undefined);
    stuck.write(`GET /web/c/operator/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const viewer = await watch(harness);
    await viewer.until(/\n\n/);
    const long = "x".repeat(200_000);
    for (let n = 0; n < 15; n += 1) {
      const outcome = await harness.adapter.send(
        delivery(OPERATOR, words(`${n}:${long}`), { key: `k${n}` }),
        patience(),
      );
      expect(outcome.outcome).toBe("sent");
      await viewer.until(new RegExp(`${n}:x`));
    }
    stuck.destroy();
    viewer.end();
  });
});

describe("one viewer's events", () => {
  const decoder = new TextDecoder();

  test("CH-4: newer states of one message replace those that still wait", async () => {
    const stream = createEventStream(() => undefined);
    stream.open({ key: "first", html: "snapshot" });
    for (const html of ["a1", "a2", "a3"]) stream.send({ key: "a", html });
    stream.send({ key: "b", html: "b1" });
    const reader = stream.body.getReader();
    const read = async () => decoder.decode((await reader.read()).value);
    expect([await read(), await read(), await read()]).toEqual(["data: snapshot\n\n", "data: a3\n\n", "data: b1\n\n"]);
    stream.close();
    expect((await reader.read()).done).toBe(true);
  });

  test("CH-4: what was told before the snapshot was read comes after it", async () => {
    const stream = createEventStream(() => undefined);
    stream.send({ key: "a", html: "newer" });
    stream.open({ key: "first", html: "snapshot" });
    const reader = stream.body.getReader();
    expect(decoder.decode((await reader.read()).value)).toBe("data: snapshot\n\n");
    expect(decoder.decode((await reader.read()).value)).toBe("data: newer\n\n");
    stream.close();
  });

  test("CH-4: past its bound the stream ends instead of growing", () => {
    let ended = 0;
    const stream = createEventStream(() => {
      ended += 1;
    }, 100);
    stream.open({ key: "first", html: "x" });
    stream.send({ key: "a", html: "y".repeat(60) });
    expect(ended).toBe(0);
    stream.send({ key: "b", html: "z".repeat(60) });
    expect(ended).toBe(1);
    stream.close();
    expect(ended).toBe(1);
  });

  test("CH-4: every line of the markup is a data line, also after a lone carriage return", () => {
    expect(serverSentEvent("a\nb\rc\r\nd")).toBe("data: a\ndata: b\ndata: c\ndata: d\n\n");
  });
});
