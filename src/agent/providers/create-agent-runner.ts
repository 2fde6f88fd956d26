import { ModelError } from "../../core/errors.ts";
import type { ModelRequest, StepEvent } from "../../core/model.ts";
import { modelFacts, modelRefText } from "../../core/models.ts";
import type { Clock } from "../../core/runtime.ts";
import type { ModelSettings, ProviderSettings } from "../../core/settings.ts";
import type { AgentRunner } from "../runner.ts";
import { requestTokens } from "./estimate.ts";
import { toModelError } from "./model-error.ts";
import { type ModelProvider, openProvider } from "./provider.ts";
import { knownQuirks } from "./quirks.ts";

export interface AgentRunnerOptions {
  readonly models: ModelSettings;
  readonly clock: Clock;
  /** A model stream that says nothing for this long fails with `idle` (TN-5). Milliseconds, default 120000. */
  readonly idleMs?: number;
  /** Between two deltas of the demo model. Milliseconds, default 15. */
  readonly demoDelayMs?: number;
}

/** The `AgentRunner` over the configured providers (OP-3); after a change of the configuration a new one is made, turns that run keep theirs. */
export function createAgentRunner(options: AgentRunnerOptions): AgentRunner {
  const providers = new Map<string, ModelProvider>();

  const providerOf = (settings: ProviderSettings): ModelProvider => {
    const known = providers.get(settings.id);
    if (known !== undefined) return known;
    const opened = openProvider(settings, { demoDelayMs: options.demoDelayMs ?? 15 });
    providers.set(settings.id, opened);
    return opened;
  };

  async function* step(request: ModelRequest, signal: AbortSignal): AsyncIterable<StepEvent> {
    const settings = options.models.providers.get(request.model.provider);
    if (settings === undefined) {
      const text = `${modelRefText(request.model)}: no provider with this id is configured`;
      yield { type: "failed", error: new ModelError("unknown_model", text) };
      return;
    }
    const idleMs = options.idleMs ?? 120_000;
    const watch = watchStream(signal, idleMs);
    let ended = false;
    try {
      signal.throwIfAborted();
      watch.alive();
      const form = { quirks: knownQuirks(settings, request.model.model), refusedPictures: new Set<string>() };
      for await (const event of providerOf(settings).step(request, {
        signal: watch.signal,
        alive: watch.alive,
        form,
      })) {
        // The time the consumer takes with an event is not the model's silence.
        watch.pause();
        ended = event.type === "done" || event.type === "failed";
        yield event;
        if (ended) return;
        watch.alive();
      }
      const text = `${modelRefText(request.model)}: the stream ended without an answer`;
      yield { type: "failed", error: new ModelError("bad_response", text) };
    } catch (error) {
      yield {
        type: "failed",
        error: toModelError(error, {
          model: request.model,
          secret: settings.apiKey,
          aborted: signal.aborted,
          idleMs: watch.idle() ? idleMs : null,
          now: options.clock.now(),
          fullness: requestTokens(request) / modelFacts(options.models, request.model).contextTokens,
        }),
      };
    } finally {
      watch.stop({ cancel: !ended });
    }
  }

  return { step, facts: (model) => modelFacts(options.models, model) };
}

interface StreamWatch {
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly pause: () => void;
  readonly idle: () => boolean;
  /** `cancel`: ends a request that still runs. */
  readonly stop: (how: { readonly cancel: boolean }) => void;
}

/** A signal that follows the caller's and also fires after `idleMs` without `alive()`. */
function watchStream(caller: AbortSignal, idleMs: number): StreamWatch {
  const inner = new AbortController();
  let idle = false;
  let timer: NodeJS.Timeout | undefined;
  const forward = () => inner.abort(caller.reason);
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  return {
    signal: inner.signal,
    alive() {
      if (timer !== undefined) {
        timer.refresh();
        return;
      }
      timer = setTimeout(() => {
        idle = true;
        inner.abort();
      }, idleMs);
    },
    pause() {
      clearTimeout(timer);
      timer = undefined;
    },
    idle: () => idle,
    stop({ cancel }) {
      clearTimeout(timer);
      caller.removeEventListener("abort", forward);
      // A consumer that stops early must not leave a request running; a finished one keeps its connection.
      if (cancel) inner.abort();
    },
  };
}
