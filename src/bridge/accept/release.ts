import type { HostFiles } from "../../channel/adapter.ts";
import type { Capabilities } from "../../channel/capabilities.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { InboundAttachment } from "../../core/message/inbound-event.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import { isGathering } from "../../core/message/inbox-item.ts";
import type { Runtime } from "../../core/runtime.ts";
import { accountName } from "../../delivery/adapters.ts";
import { createLanes } from "../../delivery/lanes.ts";
import { inboxItem } from "../../store/reads/inbound/inbox.ts";
import { type FetchedAttachment, releaseItem } from "../../store/steps/inbound/release-item.ts";
import type { Store } from "../../store/store.ts";
import type { TaskHandler, WorkQueue } from "../../work/work-queue.ts";
import { fetchAttachments } from "./attachments.ts";

export interface ReleaseDeps extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  readonly media: HostFiles;
  readonly work: Pick<WorkQueue, "enqueue">;
  /** `not_ready`: the account is configured and not connected now, at a start for instance. */
  files(channel: ChannelId, accountId: AccountId): Capabilities["files"] | "not_ready";
}

const ACCOUNT_LOOK_MS = 1_000;
/** Inputs of one account whose files are fetched at once. */
const PER_ACCOUNT = 8;

/**
 * The task `release`: a held input's time has come. What it still waits for is fetched first, then it goes to its session
 * (IN-12, IN-13). Called too early or twice it changes nothing: the row says what there is to do. While its account is not
 * connected it waits: a restart in the middle of a fetch must not make of somebody's file a line that says it is missing.
 */
export function createRelease(deps: ReleaseDeps): TaskHandler {
  const { store, work, media, clock, log } = deps;
  const lanes = createLanes(PER_ACCOUNT);
  return async (key, slot, signal) => {
    const item = await store.read(inboxItem, key);
    if (item === null || item.state !== "held" || !isGathering(item.payload)) return;
    const { until, attachments } = item.payload.gathering;
    const early = until > clock.now();
    const files = item.route === null ? undefined : deps.files(item.route.channel, item.route.accountId);
    const toFetch = early ? [] : attachments;
    if (files === "not_ready" && toFetch.length > 0) {
      work.enqueue("release", key, clock.now() + ACCOUNT_LOOK_MS);
      return;
    }
    const fetched = files === "not_ready" || toFetch.length === 0 ? [] : await fetchOf(item, toFetch, files);
    const result = await store.step(releaseItem, { key, fetched });
    const missing = fetched.filter((one) => "note" in one).length;
    log.debug({ inboxKey: key, result, attachments: fetched.length, missing }, "held input looked at");

    /** Without the slot, and bounded by account: files that are slow to come on one platform delay no input of another (DL-4). */
    function fetchOf(
      { route }: InboxItem,
      attachments: readonly InboundAttachment[],
      from: Capabilities["files"],
    ): Promise<readonly FetchedAttachment[]> {
      const lane = route === null ? "" : accountName(route);
      const fetching = () => fetchAttachments(attachments, { files: from, media, signal });
      return slot.released(() => lanes.run(lane, fetching));
    }
  };
}
