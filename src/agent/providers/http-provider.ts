import { createHash } from "node:crypto";
import type { ModelRequest, StepEvent } from "../../core/model.ts";
import { modelRefText } from "../../core/models.ts";
import type { Quirks } from "../../core/quirks.ts";
import type { ProviderSettings } from "../../core/settings.ts";
import { ENDED_WITHOUT_END } from "../../core/texts/agent/model-errors.ts";
import { requestTokens } from "./estimate.ts";
import { postJson } from "./http-post.ts";
import { ProviderRefusal, UnreadableAnswer } from "./model-error.ts";
import { callIdsOf, createAnswer } from "./read/answer.ts";
import { streamEvents } from "./read/events.ts";
import { jsonText } from "./wire/json-text.ts";
import type { CallContext, Form, ModelProvider, Protocol } from "./wire/protocol.ts";

const MAX_ERROR_CHARACTERS = 64_000;

/** A provider over HTTP: one request per step, put by its protocol's strict form, read by its tolerant reader (FC-301, FC-310). */
export function httpProvider(protocol: Protocol, settings: ProviderSettings): ModelProvider {
  const baseUrl = (settings.baseUrl ?? protocol.baseUrl).replace(/\/+$/, "");

  async function* step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent> {
    const form: Form = { ...context.form, maker: makerOf(request, settings, baseUrl) };
    const { path, headers, body } = protocol.write(request, form, settings);
    const { signal } = context;
    const response = await postJson({ url: new URL(`${baseUrl}${path}`), headers, body: jsonText(body), signal });
    if (response.status < 200 || response.status > 299) {
      throw new ProviderRefusal(response.status, response.headers, await errorBody(response.chunks));
    }
    const answer = createAnswer({
      usedIds: callIdsOf(request.messages),
      maker: form.maker,
      textCalls: textCallsOf(request, form.quirks),
      estimate: (text) => ({ input: requestTokens(request), output: Math.ceil(text.length / 3.6), cached: 0 }),
    });
    const reader = protocol.read(answer);
    for await (const event of streamEvents(withLife(response.chunks, context))) {
      if (event.type === "value") reader.accept(event.value);
      else if (event.type === "over") answer.whole();
      else answer.damaged();
      yield* answer.take();
    }
    reader.end?.();
    const done = answer.done();
    if (done === null) throw new UnreadableAnswer(ENDED_WITHOUT_END);
    yield* answer.take();
    yield done;
  }

  return { step };
}

/** FC-316: any byte is life, a comment too. */
async function* withLife(chunks: AsyncIterable<string>, { alive }: CallContext): AsyncIterable<string> {
  for await (const chunk of chunks) {
    alive();
    yield chunk;
  }
}

async function errorBody(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}

/** FC-302: what one provider, base address and model made; a hash, since an address may hold a name and a password. */
function makerOf({ model }: ModelRequest, settings: ProviderSettings, baseUrl: string): string {
  return createHash("sha256")
    .update(JSON.stringify([settings.type, baseUrl, modelRefText(model)]))
    .digest("hex")
    .slice(0, 12);
}

function textCallsOf({ tools }: ModelRequest, quirks: Quirks): readonly string[] | null {
  return quirks.textCalls && quirks.tools !== "none" && tools.length > 0 ? tools.map(({ name }) => name) : null;
}
