import { nearestNames } from "../core/nearest.ts";
import { asSessionKey, mainSessionKey } from "../core/session-key.ts";
import type { Settings } from "../core/settings.ts";
import { foldPairingCode } from "../routing/pairing.ts";
import { operatorSession, recentSessionKeys } from "../store/reads/operator-sessions.ts";
import { dismissDelivery } from "../store/steps/dismiss-delivery.ts";
import { operatorSend } from "../store/steps/operator-send.ts";
import { approvePairing } from "../store/steps/pairing-approve.ts";
import { denyPairing } from "../store/steps/pairing-deny.ts";
import { retryCompletion } from "../store/steps/retry-completion.ts";
import { retryDelivery } from "../store/steps/retry-delivery.ts";
import type { Store } from "../store/store.ts";
import type { ControlChanges } from "./control-api.ts";
import { referenceOf } from "./control-reads.ts";

/** What the operator changes through the running process (OP-5), as steps of its store. */
export function createControlChanges(deps: {
  readonly store: Pick<Store, "read" | "step">;
  readonly settings: () => Settings;
}): ControlChanges {
  const { store, settings } = deps;
  return {
    send: async ({ session, text, id }) => {
      const reference = referenceOf(session, settings());
      const known = await store.read(operatorSession, reference);
      const key = known?.session.key ?? asSessionKey(reference);
      // An agent's main session always exists (SK-6), also before it was used.
      const agentId = [...settings().agents.keys()].find((agent) => mainSessionKey(agent) === key) ?? null;
      const sent = key === null ? null : await store.step(operatorSend, { key, text, id, createFor: agentId });
      if (sent !== null && key !== null) return { accepted: true, key, ...sent };
      const mains = [...settings().agents.keys()].map(mainSessionKey);
      const keys = [...(await store.read(recentSessionKeys, null)), ...mains];
      return { accepted: false, close: nearestNames(reference, [...new Set(keys)]) };
    },
    retryDelivery: async ({ id }) => await store.step(retryDelivery, id),
    retryResult: async ({ runId, id }) => await store.step(retryCompletion, { runId, cause: `operator:${id}` }),
    dismissDelivery: async ({ id }) => await store.step(dismissDelivery, id),
    approvePairing: async (input) => {
      const approved = await store.step(approvePairing, { ...input, code: foldPairingCode(input.code) });
      const configured = settings().commands.ownerAllowFrom.length;
      return approved === null ? null : { ...approved, owners: approved.owners + configured };
    },
    denyPairing: async (input) => await store.step(denyPairing, { ...input, code: foldPairingCode(input.code) }),
  };
}
