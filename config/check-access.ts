import { accountName, type ChannelDescriptor } from "../src/channel/descriptor.ts";
import type { AccountSettings, DmPolicy, GroupPolicy } from "../src/core/settings.ts";
import type { ConfigPath, Findings } from "./findings.ts";
import type { AccountSection } from "./normalise-accounts.ts";
import type { NormaliseContext } from "./normalise-context.ts";

const DM_WIDTH: Readonly<Record<DmPolicy, number>> = { disabled: 0, allowlist: 1, pairing: 2, open: 3 };
const GROUP_WIDTH: Readonly<Record<GroupPolicy, number>> = { disabled: 0, allowlist: 1, open: 2 };

/** IN-5: an open door has to be written twice, so that nobody opens it by accident. */
export function checkAccess(
  findings: Findings,
  account: AccountSettings,
  at: { readonly dmPolicy: ConfigPath; readonly groupPolicy: ConfigPath },
): void {
  if (account.dmPolicy === "open" && !account.allowFrom.includes("*")) {
    findings.fault(
      at.dmPolicy,
      '"open" lets everybody in, but allowFrom does not hold "*"',
      'Write allowFrom: ["*"], or choose "pairing" or "allowlist".',
    );
  }
  if (account.dmPolicy === "disabled" && account.allowFrom.length > 0) {
    findings.warn(
      at.dmPolicy,
      `"disabled" refuses the ${account.allowFrom.length} listed in allowFrom too`,
      'Choose "allowlist" to let them in.',
    );
  }
}

interface WideningInput {
  readonly descriptor: ChannelDescriptor;
  readonly top: AccountSection;
  readonly own: AccountSection;
  readonly account: AccountSettings;
  readonly path: ConfigPath;
}

/** FC-088: an account that lets in more than its channel's keys say looks safe at the top of the file; it is named aloud. */
export function warnWidening(context: NormaliseContext, { descriptor, top, own, account, path }: WideningInput): void {
  const remedy = `Check that ${accountName(account)} is meant to be wider than channels.${descriptor.channel}.`;
  const dm = top.dmPolicy ?? "pairing";
  if (own.dmPolicy !== undefined && DM_WIDTH[own.dmPolicy] > DM_WIDTH[dm]) {
    context.findings.warn([...path, "dmPolicy"], `"${own.dmPolicy}" is wider than the channel's "${dm}"`, remedy);
  }
  const group = top.groupPolicy ?? "allowlist";
  if (own.groupPolicy !== undefined && GROUP_WIDTH[own.groupPolicy] > GROUP_WIDTH[group]) {
    context.findings.warn(
      [...path, "groupPolicy"],
      `"${own.groupPolicy}" is wider than the channel's "${group}"`,
      remedy,
    );
  }
  if (own.allowFrom !== undefined && account.allowFrom.includes("*") && !(top.allowFrom ?? []).includes("*")) {
    context.findings.warn([...path, "allowFrom"], `"*" lets everybody in, the channel's list does not`, remedy);
  }
  const map = descriptor.places?.map;
  if (map === undefined || own[map] === undefined || top[map] === undefined) return;
  const listed = top[map] as Readonly<Record<string, unknown>>;
  const isListed = Object.keys(listed).length > 0;
  if (isListed && account.groupPolicy === "allowlist" && account.places.has("*") && !Object.hasOwn(listed, "*")) {
    context.findings.warn([...path, map], `"*" lets every place in, the channel's map does not`, remedy);
  }
}
