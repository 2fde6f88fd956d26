import { ModelError } from "../../core/errors.ts";
import { type ModelRequest, modelRefText, type StepEvent } from "../../core/model.ts";
import { modelFacts } from "../../core/model-facts.ts";
import type { Clock } from "../../core/runtime.ts";
import type { ModelSettings, ProviderSettings } from "../../core/settings.ts";
import type { AgentRunner } from "../runner.ts";
import { toModelError } from "./model-error.ts";
import { loadProvider, type ModelProvider } from "./provider.ts";

export interface AgentRunnerOptions {
  readonly models: ModelSettings;
  readonly clock: Clock;
  /** A model stream that says nothing for this long fails with `idle` (TN-5). Milliseconds, default 120000. */
  readonly idleMs?: number;
  /** Between two deltas of the demo model. Milliseconds, default 15. */
  readonly demoDelayMs?: number;
}

/**
 * The `AgentRunner` over the configured providers (OP-3). Providers are loaded at their first call and kept; after a
 * change of the configuration a new runner is made, turns that run keep theirs.
 */
export function createAgentRunner(options: AgentRunnerOptions): AgentRunner {
  const providers = new Map<string, Promise<ModelProvider>>();
  const providerOptions = { demoDelayMs: options.demoDelayMs ?? 15, now: () => options.clock.now() };

  const providerOf = (settings: ProviderSettings): Promise<ModelProvider> => {
    const known = providers.get(settings.id);
    if (known !== undefined) return known;
    const loading = loadProvider(settings, providerOptions);
    providers.set(settings.id, loading);
    // A failed import must not fail every later call too.
    loading.catch(() => providers.delete(settings.id));
    return loading;
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
      const provider = await providerOf(settings);
      signal.throwIfAborted();
      watch.alive();
      for await (const event of provider.step(request, { signal: watch.signal, alive: watch.alive })) {
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
