import type { ThreadAbility } from "../channel/capabilities.ts";
import type { RenderedPiece } from "../core/delivery.ts";
import type { Route } from "../core/route.ts";
import type { MdBlock } from "../core/text/markdown-tree.ts";
import { neutraliseTree } from "../core/text/mentions.ts";
import type { DeliveryAccounts } from "./adapters.ts";
import { PLAIN_RENDERER } from "./plain-renderer.ts";

/** PORT for whoever wants a thread (TB-1). */
export interface Threads {
  /** Whether one can be made from there. Never throws. */
  ability(route: Route, signal: AbortSignal): Promise<ThreadAbility>;
  /** Text in the form of the route's platform, without mentions of many people. */
  render(route: Route, nodes: readonly MdBlock[]): RenderedPiece;
}

export function createThreads(accounts: DeliveryAccounts): Threads {
  return {
    async ability(route, signal) {
      const account = accounts.find(route.channel, route.accountId);
      if (account === null) return { can: false, reason: `no account "${route.accountId}" of ${route.channel}` };
      const { threads } = account.adapter.capabilities;
      if (threads === undefined) return { can: false, reason: `${route.channel} has no threads` };
      return threads.canCreate(route, signal);
    },
    render(route, nodes) {
      const renderer = accounts.find(route.channel, route.accountId)?.adapter.renderer ?? PLAIN_RENDERER;
      const { rich, plain } = renderer.render(neutraliseTree(nodes));
      return { rich, plain };
    },
  };
}
