import { nearestNames } from "../../core/nearest.ts";
import { asSessionKey, mainSessionKey } from "../../core/session/session-key.ts";
import type { Settings } from "../../core/settings.ts";
import { foldPairingCode } from "../../routing/pairing.ts";
import { operatorSession, recentSessionKeys } from "../../store/reads/upkeep/operator.ts";
import { dismissDelivery } from "../../store/steps/delivery/dismiss-delivery.ts";
import { retryDelivery } from "../../store/steps/delivery/retry-delivery.ts";
import { type Forgotten, forgetMessages, forgetSender } from "../../store/steps/people/forget-sender.ts";
import { approvePairing } from "../../store/steps/people/pairing-approve.ts";
import { denyPairing } from "../../store/steps/people/pairing-deny.ts";
import { retryCompletion } from "../../store/steps/runs/retry-completion.ts";
import { operatorSend } from "../../store/steps/sessions/operator-send.ts";
import type { Store } from "../../store/store.ts";
import type { ControlChanges } from "./api.ts";
import { referenceOf } from "./reads.ts";

/** Messages looked at in one step, so that it never holds up the store. */
const FORGET_AT_ONCE = 5_000;

/** The configuration's own lists that name a person. */
function namedIn({ accounts, commands }: Settings, { channel, senderId }: Forgotten): readonly string[] {
  const doors = accounts
    .filter((account) => account.channel === channel && account.allowFrom.includes(senderId))
    .map(({ accountId }) => `allowFrom of ${channel}/${accountId}`);
  const lists = (["ownerAllowFrom", "adminAllowFrom", "allowFrom"] as const)
    .filter((name) => commands[name]?.includes(`${channel}:${senderId}`))
    .map((name) => `commands.${name}`);
  return [...doors, ...lists];
}

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
    forget: async (person) => {
      const dropped = await store.step(forgetSender, person);
      let messages = 0;
      for (let after: number | null = 0; after !== null; ) {
        const page: { readonly messages: number; readonly next: number | null } = await store.step(forgetMessages, {
          ...person,
          afterSeq: after,
          limit: FORGET_AT_ONCE,
        });
        messages += page.messages;
        after = page.next;
      }
      return { ...dropped, messages, configured: namedIn(settings(), person) };
    },
    denyPairing: async (input) => await store.step(denyPairing, { ...input, code: foldPairingCode(input.code) }),
  };
}
