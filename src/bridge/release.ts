import type { HostFiles } from "../channel/adapter.ts";
import type { Capabilities } from "../channel/capabilities.ts";
import { isGathering } from "../core/gathering.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { Runtime } from "../core/runtime.ts";
import { inboxItem } from "../store/reads/inbox-item.ts";
import { releaseItem } from "../store/steps/release-item.ts";
import type { Store } from "../store/store.ts";
import type { TaskHandler } from "../work/work-queue.ts";
import { fetchAttachments } from "./attachments.ts";

export interface ReleaseDeps extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  readonly media: HostFiles;
  files(channel: ChannelId, accountId: AccountId): Capabilities["files"];
}

/**
 * The task `release`: a held input's time has come. What it still waits for is fetched first, then it goes to its session
 * (IN-12, IN-13). Called too early or twice it changes nothing: the row says what there is to do.
 */
export function createRelease(deps: ReleaseDeps): TaskHandler {
  const { store, media, clock, log } = deps;
  return async (key, _slot, signal) => {
    const item = await store.read(inboxItem, key);
    if (item === null || item.state !== "held" || !isGathering(item.payload)) return;
    const { until, attachments } = item.payload.gathering;
    const early = until > clock.now();
    const files = item.route === null ? undefined : deps.files(item.route.channel, item.route.accountId);
    const fetched = early ? [] : await fetchAttachments(attachments, { files, media, signal });
    const result = await store.step(releaseItem, { key, fetched });
    const missing = fetched.filter((one) => "note" in one).length;
    log.debug({ inboxKey: key, result, attachments: fetched.length, missing }, "held input looked at");
  };
}
