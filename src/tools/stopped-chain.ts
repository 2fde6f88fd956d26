import { ToolError } from "../core/errors.ts";
import { chainStop } from "../core/session/chain.ts";
import { chainOf } from "../core/session/run.ts";
import { chainTexts } from "../core/texts/agent/session-notices.ts";
import { chainUse } from "../store/reads/runs/chains.ts";
import type { ToolContext } from "./tool.ts";

/** ST-28: a chain that is over sets nothing more off. Throws ToolError. */
export async function refuseStopped({
  store,
  settings,
  turn,
}: Pick<ToolContext, "store" | "settings" | "turn">): Promise<void> {
  const use = await store.read(chainUse, chainOf(turn).id);
  const by = use === null ? null : chainStop(use, settings.session.chains);
  if (by !== null) throw new ToolError(chainTexts.over(by), { status: "forbidden", hint: chainTexts.overHint });
}
