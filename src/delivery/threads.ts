import type { ThreadAbility } from "../channel/capabilities.ts";
import type { RenderedPiece } from "../core/delivery/delivery.ts";
import type { Route } from "../core/delivery/route.ts";
import type { MdBlock } from "../core/text/markdown-tree.ts";
import { neutraliseTree } from "../core/text/mentions.ts";
import { deliveryRules } from "../core/texts/rules.ts";
import { pause, type Timers } from "../core/waiting.ts";
import type { Slot } from "../work/work-queue.ts";
import type { DeliveryAccount, DeliveryAccounts } from "./accounts.ts";
import { PLAIN_RENDERER } from "./accounts.ts";

/** PORT for whoever wants a thread (TB-1). */
export interface Threads {
  /** Whether one can be made from there. Never throws. */
  ability(route: Route, signal: AbortSignal): Promise<ThreadAbility>;
  /** Text in the form of the route's platform, without mentions of many people. */
  render(route: Route, nodes: readonly MdBlock[]): RenderedPiece;
}

/** Whoever asks a platform gives back its slot meanwhile: a slow one must not use up what the others need (DL-4, TN-1). */
export function askedWithoutSlot(threads: Threads, slot: Pick<Slot, "released">): Threads {
  return { ...threads, ability: (route, signal) => slot.released(() => threads.ability(route, signal)) };
}

/** How long a turn that goes on after a restart waits for its platform before it is told that there are no threads. */
const CONNECTS_MS = 30_000;
const LOOK_MS = 50;

export function createThreads(accounts: DeliveryAccounts, timers: Timers): Threads {
  /** An account that is still connecting can make threads as soon as it is ready: a crash must not change an answer. */
  async function readyAccount(route: Route, signal: AbortSignal): Promise<DeliveryAccount | null> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const account = accounts.find(route.channel, route.accountId);
      if (account === null || account.ready || waited >= CONNECTS_MS || signal.aborted) return account;
      await pause(LOOK_MS, signal, timers);
    }
  }

  return {
    async ability(route, signal) {
      const account = await readyAccount(route, signal);
      if (account === null) return { can: false, reason: deliveryRules.noAccount(route.channel, route.accountId) };
      const { threads } = account.adapter.capabilities;
      if (threads === undefined) return { can: false, reason: deliveryRules.noThreads(route.channel) };
      return threads.canCreate(route, signal);
    },
    render(route, nodes) {
      const renderer = accounts.find(route.channel, route.accountId)?.adapter.renderer ?? PLAIN_RENDERER;
      const { rich, plain } = renderer.render(neutraliseTree(nodes));
      return { rich, plain };
    },
  };
}
