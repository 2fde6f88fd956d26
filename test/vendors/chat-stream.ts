import { callsIn, type VendorProtocol } from "../support/emulators/model/vendors/vendor-server.ts";

/** How a chat completions server streams, where it differs from OpenAI. */
export interface ChatHabits {
  /** Where reasoning comes. Default `reasoning_content`. */
  readonly reasoning?: "reasoning_content" | "reasoning" | "details" | "parts";
  readonly usage?: "none" | "text" | "x_groq";
  readonly finish?: "none";
  /** What the calls' `index` is. */
  readonly index?: "missing" | "zero";
  readonly args?: "object";
  /** Calls carry a thought signature. */
  readonly signed?: true;
  /** Comments between events. */
  readonly comments?: true;
}

export function chatProtocol(habits: ChatHabits): VendorProtocol {
  return {
    fault: (request) => (request.path === "/v1/chat/completions" ? null : `unknown path ${request.path}`),
    render(answer) {
      const calls = callsIn(answer);
      const deltas: object[] = [{ role: "assistant", content: "" }];
      if (answer.thinking !== undefined) deltas.push(thought(answer.thinking, habits));
      for (const content of answer.deltas ?? []) deltas.push({ content });
      for (const [at, { id, name, args }] of calls.entries()) {
        const index = habits.index === "missing" ? {} : { index: habits.index === "zero" ? 0 : at };
        const given = habits.args === "object" ? args : JSON.stringify(args);
        const signed = habits.signed ? { extra_content: { google: { thought_signature: "c2lnbmVk" } } } : {};
        deltas.push({
          tool_calls: [{ ...index, id, type: "function", function: { name, arguments: given }, ...signed }],
        });
      }
      const chunks: object[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
      if (habits.finish !== "none")
        chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] });
      const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 };
      if (habits.usage === "text")
        chunks.push({ choices: null, usage: { prompt_tokens: "10", completion_tokens: "7" } });
      else if (habits.usage === "x_groq") chunks.push({ choices: [], x_groq: { usage } });
      else if (habits.usage === undefined) chunks.push({ choices: [], usage });
      const between = habits.comments === true ? ": PROCESSING\n\n" : "";
      return `${chunks.map((chunk) => `${between}data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
    },
  };
}

function thought(
  { text, signature }: { readonly text: string; readonly signature: string },
  { reasoning }: ChatHabits,
): object {
  switch (reasoning) {
    case "reasoning":
      return { reasoning: text };
    case "details":
      return { reasoning: text, reasoning_details: [{ type: "reasoning.encrypted", data: signature, index: 0 }] };
    case "parts":
      return { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] };
    default:
      return { reasoning_content: text };
  }
}
