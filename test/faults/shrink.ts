import type { FaultScript } from "./script.ts";

/**
 * A smaller script that still fails: faults are left out in ever smaller groups while it does (ddmin), and then messages. `fails`
 * plays a script anew; at most `most` are played.
 */
export async function shrunk(
  script: FaultScript,
  fails: (smaller: FaultScript) => Promise<boolean>,
  most: number,
): Promise<FaultScript> {
  const budget = { left: most };
  const faults = await fewer(script.faults, (some) => fails({ ...script, faults: [...some] }), budget);
  const small = { ...script, faults: [...faults] };
  const messages = await fewer(script.messages, (some) => fails({ ...small, messages: [...some] }), budget);
  return { ...small, messages: [...messages] };
}

async function fewer<T>(
  all: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
  budget: { left: number },
): Promise<readonly T[]> {
  let kept = all;
  for (
    let size = Math.ceil(all.length / 2);
    size >= 1 && kept.length > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < kept.length && budget.left > 0; ) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      budget.left -= 1;
      if (await fails(without)) kept = without;
      else at += size;
    }
  }
  return kept;
}
