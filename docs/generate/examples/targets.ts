import type { JsonObject } from "../../../src/core/json.ts";
import type { ToolFailure } from "../tool-example.ts";

/** How every tool with a `sessionKey` refuses it (SK-6, VS-2). */
export function targetFailures(more: JsonObject = {}): readonly ToolFailure[] {
  return [
    {
      status: "forbidden",
      when: "The session does not exist, or is hidden from this one.",
      error: 'no session "agent:main:telegram:direct:9" that this session may see',
      proof: { args: { sessionKey: "agent:main:telegram:direct:9", ...more } },
    },
    {
      status: "error",
      when: "The key is written in other capitals.",
      error: 'no session "agent:main:telegram:GROUP:-100555"; keys are exact: the session is …',
      proof: { args: { sessionKey: "agent:main:telegram:GROUP:-100555", ...more } },
    },
    {
      status: "error",
      when: "The key is a reserved word.",
      error: '"all" is a reserved word, not a session',
      proof: { args: { sessionKey: "all", ...more } },
    },
    {
      status: "error",
      when: "`parent` in a session that nothing spawned.",
      error: "this session has no parent: nothing spawned it",
      proof: { args: { sessionKey: "parent", ...more } },
    },
  ];
}
