import { z } from "zod";
import type { AccountHealth } from "../../channel/adapter.ts";
import { accountName } from "../../core/ids.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { roughDuration } from "../../core/time.ts";
import { statusCard, statusFacts } from "../../sessions/status.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/status`: the card that `session_status` gives agents (ST-30), and how every account does (CH-5). */
export const status = defineCommand({
  name: "status",
  group: "session",
  summary: sessionTexts.status.summary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, context) => {
    const { store, settings, version, clock, health } = context.services;
    const own = await ownSession(context);
    const now = clock.now();
    const card = statusCard(await statusFacts({ store, settings, version, now, ...own }));
    return { text: [card, ...accountLines(health(), context, now)].join("\n") };
  },
});

/**
 * Admins see every account, and errors where no one else can read them, because errors may mention settings. Others see the account they
 * write to.
 */
function accountLines(
  accounts: ReadonlyMap<string, AccountHealth>,
  { rights, inGroup, route }: CommandContext,
  now: number,
): readonly string[] {
  const isAdmin = roleAtLeast(rights.role, "admin");
  const own = accountName(route);
  const texts = sessionTexts.status;
  return [...accounts].flatMap(([name, { state, since, lastInboundAt, lastOutboundAt, lastError, clockAheadMs }]) => {
    if (!isAdmin) return name === own ? [`- **${name}:** ${state}`] : [];
    const facts = [
      texts.account(state, lasted(since, now)),
      lastInboundAt === null ? texts.nothingReceived : texts.lastReceived(lasted(lastInboundAt, now)),
      lastOutboundAt === null ? texts.nothingSent : texts.lastSent(lasted(lastOutboundAt, now)),
      ...(clockAheadMs === 0 ? [] : [texts.clockOff(roughDuration(Math.abs(clockAheadMs)), clockAheadMs > 0)]),
    ].join(", ");
    return [`- **${name}:** ${facts}${lastError === null || inGroup ? "" : `: ${lastError}`}`];
  });
}

function lasted(since: number, now: number): string {
  return roughDuration(Math.max(0, now - since));
}
