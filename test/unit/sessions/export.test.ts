import { describe, expect, it } from "vitest";
import { exportHtml, exportJsonl, exportMarkdown } from "../../../src/sessions/export.ts";

const head = {
  session: "agent:main:main",
  sessionId: "s1",
  agentId: "main",
  name: null,
  exportedAt: "2026-01-01T00:00:00.000Z",
};
const evil = {
  seq: 1,
  role: "user" as const,
  at: 0,
  provenance: "human" as const,
  from: "Ann <b>",
  text: "# Not a heading\n<script>alert('x')</script> & done",
  toolCalls: [{ name: "look", args: '{"a":"``` </pre>"}' }],
};

describe("the forms of an export", () => {
  it("CM-6: HTML escapes every text and forbids script", () => {
    const html = exportHtml({ ...head, name: "<title>" }, [evil]);
    expect(html).not.toMatch(/<script|<b>|<\/pre>"\}/);
    expect(html).toContain("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; done");
    expect(html).toContain("default-src 'none'");
  });

  it("CM-6: in Markdown no message passes itself off as another's heading", () => {
    const text = exportMarkdown(head, [evil]);
    expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual([
      "# Transcript",
      "## Ann \\<b\\>, 1970-01-01T00:00:00.000Z",
    ]);
    expect(text).toContain("> ````\n> calls look");
  });

  it("CM-6: JSONL has a line that says what it is, and one per message", () => {
    const lines = exportJsonl(head, [evil]).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([head, evil]);
  });
});
