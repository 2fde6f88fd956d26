import type { LearntQuirks, Quirks } from "../../quirks.ts";

const LEFT_OUT: { readonly [K in keyof Quirks]?: (value: Quirks[K]) => string } = {
  reasoningBack: (value) => (value === "none" ? "earlier reasoning" : "older reasoning"),
  thinking: () => "the thinking level",
  streamUsage: () => "the request for token counts",
  pictures: () => "pictures",
  callIds: () => "its own tool call ids",
  userAfterResults: () => "messages right after tool results",
  system: () => "a system message",
  tools: (value) => (value === "none" ? "tools" : "details of tool arguments"),
  withoutTools: (value) => `the tools ${value.join(", ")}`,
  cacheMarks: () => "cache marks",
  maxOutput: (value) => `more than ${value} tokens per answer`,
};

/** What a model is no longer sent, after its server refused it (FC-301). */
export function leftOutForModel({ quirks, pictures }: Pick<LearntQuirks, "quirks" | "pictures">): string {
  const named = Object.entries(quirks).map(([key, value]) => {
    const text = LEFT_OUT[key as keyof Quirks] as ((value: unknown) => string) | undefined;
    return text?.(value) ?? key;
  });
  const some =
    pictures.length > 0 && quirks.pictures === undefined
      ? [pictures.length === 1 ? "one refused picture" : `${pictures.length} refused pictures`]
      : [];
  return [...named, ...some].join(", ");
}

export function learntInList(leftOut: string): string {
  return `sent without ${leftOut}`;
}

export function learntFinding(model: string, leftOut: string, because: string): string {
  return `${model} refused a request (${because}). Switchyard now leaves out: ${leftOut}`;
}

export const learntFix = "Nothing to do. To change it, set models.providers.<id>.models.<name>.quirks.";
