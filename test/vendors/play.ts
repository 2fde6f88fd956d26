import { CONVERSATIONS } from "./conversations.ts";
import type { Cell } from "./page.ts";
import { startVendors } from "./talk.ts";
import { VENDORS } from "./vendors.ts";

/** Every conversation with every server, each as if nothing had been learnt before. */
export async function playMatrix(): Promise<readonly Cell[]> {
  const vendors = await startVendors();
  const cells: Cell[] = [];
  try {
    for (const vendor of VENDORS) {
      for (const { name, play } of CONVERSATIONS) {
        vendors.forget();
        const failure = await play(vendors.talk(vendor)).then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        cells.push({ vendor, conversation: name, learnt: vendors.learnt(vendor), failure });
      }
    }
  } finally {
    await vendors.close();
  }
  return cells;
}
