import type { AccountHealth } from "../channel/adapter.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import { httpTexts } from "../core/texts/http.ts";

export interface AccountReport {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly health: AccountHealth;
}

/** What the composition root knows of the running program. */
export interface HealthReport {
  readonly accounts: readonly AccountReport[];
  /** `error` in plain words, without paths or secrets. */
  readonly store: { readonly ok: boolean; readonly error: string | null };
  /** False while it starts and once it stops: no new work should be sent here (OP-9). */
  readonly takesWork: boolean;
}

export type HealthProvider = () => Promise<HealthReport>;

/**
 * `/healthz` (CH-5): 200 while the process and its store work, else 503. One account that failed makes it `degraded`,
 * not dead. Error texts are for the operator only.
 */
export async function healthResponse(provider: HealthProvider, operator: boolean): Promise<Response> {
  const report = await reportOf(provider);
  const healthy = report.accounts.every((account) => account.health.state === "ready");
  const status = !report.store.ok ? "failed" : healthy ? "ok" : "degraded";
  return json({ status, ...shown(report, operator) }, report.store.ok ? 200 : 503);
}

/** `/readyz`: 200 when it takes work: started, store up, and at least one of its accounts not down. */
export async function readyResponse(provider: HealthProvider, operator: boolean): Promise<Response> {
  const report = await reportOf(provider);
  const up = report.accounts.filter(({ health }) => health.state === "ready" || health.state === "degraded");
  const ready = report.takesWork && report.store.ok && (report.accounts.length === 0 || up.length > 0);
  return json({ ready, ...shown(report, operator) }, ready ? 200 : 503);
}

async function reportOf(provider: HealthProvider): Promise<HealthReport> {
  try {
    return await provider();
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    return { accounts: [], store: { ok: false, error }, takesWork: false };
  }
}

function shown(report: HealthReport, operator: boolean): object {
  const accounts = report.accounts.map(({ channel, accountId, health }) => ({
    channel,
    accountId,
    ...health,
    lastError: operator ? health.lastError : null,
  }));
  return { accounts, store: operator ? report.store : { ok: report.store.ok } };
}

function json(body: object, status: number): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

/**
 * What the home page's place answers from the moment the port is open until its adapter takes it over. A 404 there would tell
 * an open page that its conversation no longer exists, and it would stop sending what waits in it.
 */
export async function startingResponse(): Promise<Response> {
  return new Response(httpTexts.starting, {
    status: 503,
    headers: { "retry-after": "1", refresh: "1", "cache-control": "no-store" },
  });
}
