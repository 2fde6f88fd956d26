import { expect, test } from "vitest";
import { createMounts } from "../../../src/http/mounts.ts";

const answer = (text: string) => async () => new Response(text);

test("CH-4: the longest prefix serves, and only whole path segments count", () => {
  const mounts = createMounts();
  mounts.mount("/slack", answer("all"));
  mounts.mount("/slack/events", answer("events"), "public");
  expect(mounts.find("/slack/events/x")).toMatchObject({ prefix: "/slack/events", access: "public" });
  expect(mounts.find("/slack/")).toMatchObject({ prefix: "/slack", access: "operator" });
  expect(mounts.find("/slackbot")).toBeNull();
  expect(mounts.find("/")).toBeNull();
});

test("CH-6: mounting again replaces the handler of an older generation", async () => {
  const mounts = createMounts();
  mounts.mount("/web", answer("old"));
  mounts.mount("/web", answer("new"));
  const found = mounts.find("/web/x");
  expect(await (await found?.handler(new Request("http://x/"), { loopback: true, operator: true }))?.text()).toBe(
    "new",
  );
});

test("CH-4: a prefix that could never match is refused", () => {
  expect(() => createMounts().mount("/web/", answer("x"))).toThrow(/not a mount prefix/);
});
