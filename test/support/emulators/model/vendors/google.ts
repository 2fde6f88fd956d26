import { callsIn, type VendorProtocol } from "./vendor-server.ts";

/** Google's Gemini API: `POST /v1beta/models/<model>:streamGenerateContent?alt=sse`. */
export const googleProtocol: VendorProtocol = {
  fault(request) {
    if (!/^\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/.test(request.path))
      return `unknown path ${request.path}`;
    if (typeof request.headers["x-goog-api-key"] !== "string") return "API key is missing";
    const contents = request.body.contents as {
      role: string;
      parts: readonly { functionCall?: unknown; functionResponse?: unknown }[];
    }[];
    if (!Array.isArray(contents) || contents.length === 0) return "contents is not specified";
    for (const [at, content] of contents.entries()) {
      const calls = content.parts.filter((part) => part.functionCall !== undefined).length;
      const next = contents[at + 1]?.parts ?? [];
      const responses = next.filter((part) => part.functionResponse !== undefined).length;
      if (calls > 0 && responses !== calls) {
        return "the number of function response parts must equal the number of function call parts of the function call turn";
      }
    }
    return null;
  },
  render(answer) {
    const chunks: unknown[] = [];
    const chunk = (parts: readonly unknown[], finishReason?: string) =>
      chunks.push({
        candidates: [
          { index: 0, content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) },
        ],
        usageMetadata: {
          promptTokenCount: 10,
          candidatesTokenCount: 7,
          totalTokenCount: 17,
          cachedContentTokenCount: 4,
        },
      });
    if (answer.thinking !== undefined) {
      chunk([{ text: answer.thinking.text, thought: true, thoughtSignature: answer.thinking.signature }]);
    }
    for (const text of answer.deltas ?? []) chunk([{ text }]);
    for (const [at, call] of callsIn(answer).entries()) {
      const signature = answer.thinking === undefined || at > 0 ? {} : { thoughtSignature: answer.thinking.signature };
      chunk([{ functionCall: { name: call.name, args: call.args }, ...signature }]);
    }
    chunk([{ text: "" }], "STOP");
    return chunks.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join("");
  },
};
