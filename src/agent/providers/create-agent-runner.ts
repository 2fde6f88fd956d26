import { ModelError } from "../../core/errors.ts";
import type { ModelRef, ModelRequest, StepEvent } from "../../core/model.ts";
import { modelFacts, modelRefText } from "../../core/models.ts";
import type { LearntQuirks } from "../../core/quirks.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { ModelSettings, ProviderSettings } from "../../core/settings.ts";
import { ENDED_WITHOUT_END, providerNotConfigured } from "../../core/texts/agent/wire.ts";
import { learntQuirks } from "../../store/reads/upkeep/learnt-quirks.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import type { Store } from "../../store/store.ts";
import type { AgentRunner } from "../runner.ts";
import { requestTokens } from "./estimate.ts";
import { openProvider } from "./http-post.ts";
import { knownQuirks } from "./known-quirks.ts";
import { createMildRetry } from "./mild.ts";
import { toModelError, vendorErrorOf } from "./model-error.ts";
import type { VendorError } from "./vendor-error.ts";
import type { CallContext, ModelProvider } from "./wire/protocol.ts";

export interface AgentRunnerOptions {
  readonly models: ModelSettings;
  readonly clock: Clock;
  /** A model stream that says nothing for this long fails with `idle` (TN-5). Milliseconds, default 120000. */
  readonly idleMs?: number;
  /** What refused requests taught before (FC-301); without it every runner learns them again. */
  readonly learnt?: LearntModels;
  /** Between two deltas of the demo model. Milliseconds, default 15. */
  readonly demoDelayMs?: number;
}

/** The `AgentRunner` over the configured providers (OP-3); after a change of the configuration a new one is made, turns that run keep theirs. */
export function createAgentRunner(options: AgentRunnerOptions): AgentRunner {
  const providers = new Map<string, ModelProvider>();
  const idleMs = options.idleMs ?? 120_000;
  /** A local model may read a long conversation for minutes before its first byte (FC-316). */
  const firstMs = (settings: ProviderSettings): number =>
    settings.firstTokenMs ?? options.idleMs ?? (isNear(settings.baseUrl) ? 600_000 : 120_000);

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
      const text = providerNotConfigured(modelRefText(request.model));
      yield { type: "failed", error: new ModelError("unknown_model", text) };
      return;
    }
    const known = (await options.learnt?.of(request.model)) ?? null;
    const quirks = { ...knownQuirks(settings, request.model.model), ...known?.quirks };
    let form: CallContext["form"] = { quirks, refusedPictures: new Set(known?.pictures) };
    const mild = createMildRetry(request, form);
    // Before the end is yielded, because the reader stops there.
    const answered = async (): Promise<void> => {
      const learnt = mild.learnt(options.clock.now(), known);
      if (learnt !== null) await options.learnt?.learn(request.model, learnt);
    };
    for (;;) {
      const refusal = yield* attempt({ request, settings, form, signal, answered });
      if (refusal === null) break;
      const milder = mild.next(refusal.vendor, refusal.error.code === "bad_request");
      if (milder === null) {
        yield { type: "failed", error: refusal.error };
        return;
      }
      form = milder;
    }
  }

  interface Attempt {
    readonly request: ModelRequest;
    readonly settings: ProviderSettings;
    readonly form: CallContext["form"];
    readonly signal: AbortSignal;
    readonly answered: () => Promise<void>;
  }

  /** One request. Resolves to a refusal that a milder request may avoid, or null: its end was given. */
  async function* attempt({
    request,
    settings,
    form,
    signal,
    answered,
  }: Attempt): AsyncGenerator<StepEvent, Refused | null> {
    const watch = watchStream(signal, { firstMs: firstMs(settings), idleMs });
    let ended = false;
    let said = false;
    try {
      signal.throwIfAborted();
      watch.begin();
      for await (const event of providerOf(settings).step(request, {
        signal: watch.signal,
        alive: watch.alive,
        form,
      })) {
        // The time the consumer takes with an event is not the model's silence.
        watch.pause();
        ended = event.type === "done" || event.type === "failed";
        said = true;
        if (event.type === "done") await answered();
        yield event;
        if (ended) return null;
        watch.alive();
      }
      const text = `${modelRefText(request.model)}: ${ENDED_WITHOUT_END}`;
      yield { type: "failed", error: new ModelError("bad_response", text) };
      return null;
    } catch (thrown) {
      const error = toModelError(thrown, {
        model: request.model,
        secret: settings.apiKey,
        aborted: signal.aborted,
        idleMs: watch.idle(),
        now: options.clock.now(),
        fullness: requestTokens(request) / modelFacts(options.models, request.model).contextTokens,
      });
      const vendor = vendorErrorOf(thrown);
      const refused = error.code === "bad_request" || error.code === "unavailable" || error.code === "unknown_model";
      if (!said && refused && vendor !== undefined) return { error, vendor };
      yield { type: "failed", error };
      return null;
    } finally {
      watch.stop({ cancel: !ended });
    }
  }

  return { step, facts: (model) => modelFacts(options.models, model) };
}

interface Refused {
  readonly error: ModelError;
  readonly vendor: VendorError | null;
}

interface StreamWatch {
  readonly signal: AbortSignal;
  /** Waits for the first sign of life. */
  readonly begin: () => void;
  readonly alive: () => void;
  readonly pause: () => void;
  /** How long nothing came, when that ended it; null: it did not. */
  readonly idle: () => number | null;
  /** `cancel`: ends a request that still runs. */
  readonly stop: (how: { readonly cancel: boolean }) => void;
}

/** A signal that follows the caller's and also fires when nothing comes for too long. */
function watchStream(caller: AbortSignal, limits: { readonly firstMs: number; readonly idleMs: number }): StreamWatch {
  const inner = new AbortController();
  let idle: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let began = false;
  const forward = () => inner.abort(caller.reason);
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      idle = ms;
      inner.abort();
    }, ms);
  };
  return {
    signal: inner.signal,
    begin: () => wait(limits.firstMs),
    alive() {
      if (timer !== undefined && began) timer.refresh();
      else wait(limits.idleMs);
      began = true;
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

/** On this machine or in its own network. */
function isNear(baseUrl: string | null): boolean {
  const host = baseUrl === null ? "" : (URL.parse(baseUrl)?.hostname ?? "");
  return /^(localhost|\[::1\]|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|\.(local|internal|lan)$|^[a-z0-9-]+$/i.test(
    host,
  );
}

/** PORT: what was learnt of models at run time (FC-301). */
export interface LearntModels {
  of(model: ModelRef): Promise<LearntQuirks | null>;
  learn(model: ModelRef, learnt: LearntQuirks): Promise<void>;
}

/** Kept in the store and remembered here, so that a call reads it once. A store in trouble costs no answer. */
export function createLearntModels({
  store,
  clock,
  log,
}: {
  store: Pick<Store, "read" | "step">;
  clock: Clock;
  log: Logger;
}): LearntModels {
  const known = new Map<string, LearntQuirks | null>();
  return {
    async of(model) {
      const ref = modelRefText(model);
      if (!known.has(ref)) known.set(ref, await store.read(learntQuirks, ref));
      const learnt = known.get(ref) ?? null;
      return learnt === null || learnt.until <= clock.now() ? null : learnt;
    },
    async learn(model, learnt) {
      const ref = modelRefText(model);
      known.set(ref, learnt);
      log.warn(
        { model: ref, because: learnt.because, leftOut: Object.keys(learnt.quirks) },
        "the model answers a milder request only",
      );
      try {
        await store.step(setAccountValue, {
          channel: "models",
          accountId: ref,
          name: "learnt",
          value: JSON.stringify(learnt),
        });
      } catch (error) {
        log.warn({ err: error, model: ref }, "what was learnt of a model could not be stored");
      }
    },
  };
}
