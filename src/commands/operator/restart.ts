import { z } from "zod";
import { accountValue } from "../../store/reads/upkeep/account-value.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import { AFTER_RESTART, defineCommand } from "../command.ts";

/** The name under which an account remembers the command that restarted it last. */
const MARK = "restarted-by";

/**
 * `/restart` (CM-16). The command's own row waits over the restart and is carried out again by the next start, which finds its
 * mark and answers; without the mark every start would restart again.
 */
export const restartCommand = defineCommand({
  name: "restart",
  group: "administration",
  summary: "Stop in order and start again",
  arguments: [],
  input: z.object({}),
  role: "owner",
  execute: async (_args, { services, route, cause }) => {
    const { store, process, version } = services;
    if (process.restarting()) return AFTER_RESTART;
    const mark = { channel: route.channel, accountId: route.accountId, name: MARK };
    if ((await store.read(accountValue, mark)) === cause) {
      return {
        text: `Restarted: Switchyard ${version} has read its configuration anew and connects every account again. It is the same process; another version of the program begins when the process itself is started again.`,
      };
    }
    const faults = await process.faults();
    if (faults.length > 0) {
      const lines = faults.slice(0, 5).map((fault) => `- ${fault}`);
      return { text: ["Not restarted: the configuration has faults.", ...lines].join("\n"), private: true };
    }
    await store.step(setAccountValue, { ...mark, value: cause });
    process.restart();
    return AFTER_RESTART;
  },
});
