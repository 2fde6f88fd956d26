import { callsIn, type VendorProtocol } from "./vendor-server.ts";

interface InputItem {
  readonly type?: string;
  readonly call_id?: string;
}

/** OpenAI's Responses API: `POST /v1/responses` with `stream: true`. */
export const openaiResponsesProtocol: VendorProtocol = {
  fault(request) {
    if (request.path !== "/v1/responses") return `unknown path ${request.path}`;
    if (request.headers.authorization === undefined) return "you didn't provide an API key";
    const input = request.body.input as readonly InputItem[];
    if (!Array.isArray(input) || input.length === 0) return "input: must not be empty";
    const calls = input.flatMap((item) => (item.type === "function_call" ? [item.call_id ?? ""] : []));
    const outputs = input.flatMap((item) => (item.type === "function_call_output" ? [item.call_id ?? ""] : []));
    const missing = calls.find((id) => !outputs.includes(id));
    if (missing !== undefined) return `No tool output found for function call ${missing}.`;
    const orphan = outputs.find((id) => !calls.includes(id));
    if (orphan !== undefined) return `No tool call found for function call output with call_id ${orphan}.`;
    return null;
  },
  render(answer) {
    const events: Record<string, unknown>[] = [
      { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-test", service_tier: null } },
    ];
    let output = 0;
    if (answer.thinking !== undefined) {
      const { text, signature } = answer.thinking;
      const at = { item_id: "rs_1", output_index: output, summary_index: 0 };
      events.push(
        {
          type: "response.output_item.added",
          output_index: output,
          item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: null },
        },
        { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
        { type: "response.reasoning_summary_text.delta", ...at, delta: text },
        { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
        {
          type: "response.output_item.done",
          output_index: output++,
          item: {
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text }],
            encrypted_content: signature,
          },
        },
      );
    }
    const deltas = answer.deltas ?? [];
    if (deltas.length > 0) {
      const item = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
      events.push({ type: "response.output_item.added", output_index: output, item });
      for (const delta of deltas) {
        events.push({
          type: "response.output_text.delta",
          item_id: "msg_1",
          output_index: output,
          content_index: 0,
          delta,
        });
      }
      const content = [{ type: "output_text", text: deltas.join(""), annotations: [] }];
      events.push({
        type: "response.output_item.done",
        output_index: output++,
        item: { ...item, status: "completed", content },
      });
    }
    for (const { id, name, args } of callsIn(answer)) {
      const item = {
        type: "function_call",
        id: `fc_${output}`,
        call_id: id,
        name,
        arguments: "",
        status: "in_progress",
      };
      const json = JSON.stringify(args);
      events.push({ type: "response.output_item.added", output_index: output, item });
      for (const delta of [json.slice(0, 3), json.slice(3)]) {
        events.push({
          type: "response.function_call_arguments.delta",
          item_id: `fc_${output}`,
          output_index: output,
          delta,
        });
      }
      events.push(
        {
          type: "response.function_call_arguments.done",
          item_id: `fc_${output}`,
          output_index: output,
          arguments: json,
        },
        {
          type: "response.output_item.done",
          output_index: output,
          item: { ...item, arguments: json, status: "completed" },
        },
      );
      output += 1;
    }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 17,
    };
    events.push({ type: "response.completed", response: { id: "resp_1", incomplete_details: null, usage } });
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  },
};
