import { callsIn, type VendorCall, type VendorProtocol } from "./vendor-server.ts";

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
}

/** Anthropic's Messages API: `POST /v1/messages` with `stream: true`. */
export const anthropicProtocol: VendorProtocol = {
  fault(request) {
    if (request.path !== "/v1/messages") return `unknown path ${request.path}`;
    if (request.headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
    if (typeof request.headers["x-api-key"] !== "string") return "x-api-key: header is required";
    if (typeof request.body.max_tokens !== "number") return "max_tokens: field required";
    const messages = request.body.messages as { role: string; content: readonly Block[] }[];
    if (!Array.isArray(messages) || messages[0]?.role !== "user")
      return "messages: first message must use the user role";
    let open: string[] = [];
    for (const [at, message] of messages.entries()) {
      if (at > 0 && messages[at - 1]?.role === message.role) return "messages: roles must alternate";
      const answered = message.content.flatMap((block) =>
        block.type === "tool_result" ? [block.tool_use_id ?? ""] : [],
      );
      if (open.some((id) => !answered.includes(id))) return "`tool_use` ids were found without `tool_result` blocks";
      if (answered.some((id) => !open.includes(id))) return "unexpected `tool_use_id` in `tool_result`";
      if (message.content.some((block) => block.type === "text" && (block.text ?? "").trim() === ""))
        return "text content blocks must be non-empty";
      open = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id ?? ""] : []));
    }
    return null;
  },
  render(answer) {
    const events: Record<string, unknown>[] = [{ type: "message_start", message: startMessage() }];
    let index = 0;
    const block = (start: unknown, deltas: readonly unknown[]) => {
      events.push({ type: "content_block_start", index, content_block: start });
      for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
      events.push({ type: "content_block_stop", index: index++ });
    };
    if (answer.thinking !== undefined) {
      const { text, signature } = answer.thinking;
      block({ type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: text },
        { type: "signature_delta", signature },
      ]);
    }
    events.push({ type: "ping" });
    const deltas = answer.deltas ?? [];
    if (deltas.length > 0) {
      block(
        { type: "text", text: "" },
        deltas.map((text) => ({ type: "text_delta", text })),
      );
    }
    for (const call of callsIn(answer)) block(...toolUse(call));
    const stop = callsIn(answer).length === 0 ? "end_turn" : "tool_use";
    events.push(
      { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    );
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  },
};

function toolUse(call: VendorCall): [unknown, unknown[]] {
  const json = JSON.stringify(call.args);
  const half = Math.ceil(json.length / 2);
  const pieces = ["", json.slice(0, half), json.slice(half)];
  return [
    { type: "tool_use", id: call.id, name: call.name, input: {} },
    pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  ];
}

function startMessage(): unknown {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 0 };
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return { id: "msg_1", type: "message", role: "assistant", model: "claude-test", ...empty, usage };
}
