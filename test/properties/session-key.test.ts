import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isName } from "../../src/core/ids.ts";
import {
  asSessionKey,
  buildSessionKey,
  parseSessionKey,
  type SessionKeyParts,
  sessionKind,
  threadParent,
} from "../../src/core/session/session-key.ts";

const name = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/).filter(isName);
/** Platform ids hold anything: separators, percent signs and words of the grammar too (SK-2). */
const id = fc.oneof(
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.constantFrom("%3A", "%", ":", "a:b", "thread", "main", "topic:1", "%253A", "C0123ABC", "-1001"),
);
const thread = fc.option(fc.record({ kind: fc.constantFrom("thread" as const, "topic" as const), id }), { nil: null });

const parts: fc.Arbitrary<SessionKeyParts> = fc.oneof(
  fc.record({ kind: fc.constant("main" as const), agentId: name, thread }),
  fc
    .record({
      agentId: name,
      channel: fc.option(name, { nil: null }),
      accountId: fc.option(name, { nil: null }),
      peerId: id,
      thread,
    })
    .map((direct) => ({
      ...direct,
      kind: "direct" as const,
      accountId: direct.channel === null ? null : direct.accountId,
    })),
  fc.record({
    kind: fc.constantFrom("group" as const, "channel" as const),
    agentId: name,
    channel: name,
    accountId: name,
    id,
    thread,
  }),
  fc.record({
    kind: fc.constantFrom("subagent" as const, "acp" as const, "cron" as const, "hook" as const, "node" as const),
    agentId: name,
    id,
  }),
);

describe("session keys", () => {
  it("SK-1: parse(build(x)) is x for every valid x", () => {
    fc.assert(
      fc.property(parts, (value) => {
        expect(parseSessionKey(buildSessionKey(value))).toEqual(value);
      }),
      { numRuns: 2_000 },
    );
  });

  it("SK-3: different parts never share a key", () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        if (buildSessionKey(a) === buildSessionKey(b)) expect(a).toEqual(b);
      }),
      { numRuns: 2_000 },
    );
  });

  it("SK-5: a thread-scoped key's parent is the key without its suffix, and a parent has none", () => {
    fc.assert(
      fc.property(parts, (value) => {
        const key = buildSessionKey(value);
        const parent = threadParent(key);
        const scoped = "thread" in value && value.thread !== null;
        expect(parent).toBe(scoped ? buildSessionKey({ ...value, thread: null }) : null);
        expect(parent === null ? null : threadParent(parent)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it("SK-1: text that is no key parses to null or builds back to itself, and never throws", () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(id, name), { maxLength: 7 }).map((words) => ["agent", ...words].join(":")),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const parsed = parseSessionKey(candidate);
        if (parsed !== null) expect(parseSessionKey(buildSessionKey(parsed))).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["agent:main:main", "main"],
    ["agent:main:main:thread:7", "group"],
    ["agent:main:direct:1", "other"],
    ["agent:main:telegram:direct:1", "other"],
    ["agent:main:telegram:direct:1:thread:7", "group"],
    ["agent:main:telegram:group:-1", "group"],
    ["agent:main:telegram:group:-1:topic:7", "group"],
    ["agent:main:slack:channel:C1:thread:1.2", "group"],
    ["agent:main:cron:nightly", "cron"],
    ["agent:main:hook:deploy", "hook"],
    ["agent:main:node:n1", "node"],
    ["agent:main:subagent:4a1b", "other"],
    ["agent:main:acp:4a1b", "other"],
  ])("SK-4: the kind of %s is %s", (text, kind) => {
    const key = asSessionKey(text);
    expect(key === null ? null : sessionKind(key)).toBe(kind);
  });
});
