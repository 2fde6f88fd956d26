import { z } from "zod";
import { operatorTexts } from "../../core/texts/commands/operator.ts";
import { accountValue } from "../../store/reads/upkeep/account-value.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import { AFTER_RESTART, defineCommand } from "../command.ts";

/** The name under which an account remembers the command that restarted it last. */
const MARK = "restarted-by";

/**
 * `/restart` (CM-16). The command's own row survives the restart and runs again at the next start, which finds its
 * mark and answers; without the mark every start would restart again.
 */
export const restartCommand = defineCommand({
  name: "restart",
  group: "administration",
  summary: operatorTexts.restart.summary,
  arguments: [],
  input: z.object({}),
  role: "owner",
  execute: async (_args, { services, route, cause }) => {
    const { store, process, version } = services;
    if (process.restarting()) return AFTER_RESTART;
    const mark = { channel: route.channel, accountId: route.accountId, name: MARK };
    if ((await store.read(accountValue, mark)) === cause) {
      return { text: operatorTexts.restart.done(version) };
    }
    const faults = await process.faults();
    if (faults.length > 0) {
      return { text: operatorTexts.restart.refused(faults.slice(0, 5)), private: true };
    }
    await store.step(setAccountValue, { ...mark, value: cause });
    process.restart();
    return AFTER_RESTART;
  },
});
