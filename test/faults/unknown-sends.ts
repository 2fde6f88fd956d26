import { join } from "node:path";
import Database from "better-sqlite3";
import type { Channel } from "../crash/stage.ts";
import type { UnansweredSend } from "./stand.ts";

/**
 * The deliveries of a channel of which nobody knows at this moment whether they stand: claimed and not settled, or tried before
 * and waiting for the next try. To be asked between a death and the next start.
 */
export function unknownSends(folder: string, channel: Channel): readonly UnansweredSend[] {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    const rows = database
      .prepare(
        `select route_json as route, content_json as text from deliveries where channel = ?
           and (state = 'sending' or (state = 'pending' and attempts > 0))`,
      )
      .all(channel) as readonly { readonly route: string; readonly text: string }[];
    return rows.map(({ route, text }) => ({ to: (JSON.parse(route) as { readonly to: string }).to, text }));
  } finally {
    database.close();
  }
}
