import type { JsonObject } from "../../src/core/json.ts";

/** One call of a tool, made in the scene that `docs/reference/tools.md` describes; a test makes it and compares. */
export interface ToolCase {
  readonly args: JsonObject;
  /** Calls made before it, in this order. */
  readonly after?: readonly { readonly tool: string; readonly args: JsonObject }[];
  /** The session that calls; default: the private chat. */
  readonly from?: string;
  /** Who asked for the turn; default: the operator. */
  readonly asker?: "user";
  /** What the session that a message is sent to answers meanwhile. */
  readonly answer?: string;
}

/**
 * `result`: what comes back, with ids replaced by fixed ones. A text that ends in `…` goes on; a key `…` stands for further
 * ones.
 */
export interface ToolExample extends ToolCase {
  readonly title: string;
  readonly result: JsonObject;
}

export interface ToolFailure {
  readonly status: "error" | "forbidden";
  /** When it happens, as the page says it. */
  readonly when: string;
  /** The text a model reads; one that ends in `…` goes on. */
  readonly error: string;
  /** A call that gives it, or, where that needs more than this scene, the clause's own test: words of its name. */
  readonly proof: ToolCase | { readonly clause: string; readonly test: string };
}

/** What a tool's page shows besides its definition. */
export interface ToolExamples {
  readonly examples: readonly [ToolExample, ...ToolExample[]];
  /** Besides arguments that do not fit, which every tool refuses. */
  readonly errors: readonly ToolFailure[];
}

/** The sessions of the scene. */
export const CHAT = "agent:main:telegram:direct:111";
export const TEAM = "agent:main:telegram:group:-100555";
export const TOPIC = "agent:main:telegram:group:-100555:topic:9";
export const OLD = "agent:main:telegram:group:-100777";
export const SUB_AGENT = "agent:main:subagent:deep";
