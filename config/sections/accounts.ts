import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { accountName, DEFAULT_ACCOUNT, isName } from "../../src/core/ids.ts";
import type { AccountSettings, DmPolicy, GroupPolicy, ThreadBindingSettings } from "../../src/core/settings.ts";
import {
  badReaction,
  checkWider,
  disabledWithList,
  everyoneOnlyHere,
  everyPlaceOnlyHere,
  OPEN_WITHOUT_STAR,
  reservedName,
  sharedIdentity,
  widerPolicy,
} from "../../src/core/texts/config/people.ts";
import { reportIssue } from "../load/faults.ts";
import type { ConfigPath, Findings } from "../load/findings.ts";
import type { ChannelSections, SharedChannelSection } from "./channels.ts";
import { normalisePlaces } from "./channels.ts";
import { foldedSenders, type NormaliseContext } from "./context.ts";
import { normaliseThreadBindings } from "./session.ts";

/** The keys an account has after inheritance, and where each was written. */
export type AccountSection = SharedChannelSection & { readonly [key: string]: unknown };

/** Every account that is switched on, with what it inherits from its channel; its own maps replace the channel's (IN-6). */
export function normaliseAccounts(
  context: NormaliseContext,
  channels: ChannelSections | undefined,
  threadBindings: ThreadBindingSettings,
): readonly AccountSettings[] {
  const accounts: AccountSettings[] = [];
  for (const descriptor of context.channels) {
    const section: AccountSection | undefined = channels?.[descriptor.channel];
    if (section === undefined && !descriptor.enabledByDefault) continue;
    const inherited = normaliseThreadBindings(section?.threadBindings, threadBindings);
    accounts.push(...channelAccounts(context, descriptor, { section: section ?? {}, inherited }));
  }
  return accounts;
}

function channelAccounts(
  context: NormaliseContext,
  descriptor: ChannelDescriptor,
  { section, inherited }: { readonly section: AccountSection; readonly inherited: ThreadBindingSettings },
): readonly AccountSettings[] {
  const { accounts: named = {}, ...top } = section as AccountSection & {
    readonly accounts?: Readonly<Record<string, AccountSection>>;
  };
  if (top.enabled === false) return [];
  const path = ["channels", descriptor.channel];
  const hasDefault =
    Object.keys(named).length === 0 || (descriptor.identityKey !== null && top[descriptor.identityKey] !== undefined);
  const ids = new Set([...(hasDefault ? [DEFAULT_ACCOUNT] : []), ...Object.keys(named)]);
  const identities = new Map<unknown, string>();
  const settings: AccountSettings[] = [];
  for (const accountId of ids) {
    const own = named[accountId] ?? null;
    if (own?.enabled === false) continue;
    if (!isName(accountId)) context.findings.fault([...path, "accounts", accountId], reservedName(accountId));
    const account = normaliseAccount(context, { descriptor, accountId, top, own, inherited });
    checkIdentity(context, { descriptor, accountId, merged: { ...top, ...own }, own, identities });
    if (account !== null) settings.push(account);
  }
  return settings;
}

interface IdentityCheck {
  readonly descriptor: ChannelDescriptor;
  readonly accountId: string;
  readonly merged: AccountSection;
  readonly own: AccountSection | null;
  readonly identities: Map<unknown, string>;
}

/** Two accounts on one bot token would fight for its updates (rule 8). */
function checkIdentity(
  context: NormaliseContext,
  { descriptor, accountId, merged, own, identities }: IdentityCheck,
): void {
  if (descriptor.identityKey === null) return;
  const identity = merged[descriptor.identityKey];
  if (identity === undefined) return;
  const first = identities.get(identity);
  if (first === undefined) {
    identities.set(identity, accountId);
    return;
  }
  const account = ["channels", descriptor.channel, "accounts", accountId];
  context.findings.fault(
    [...account, descriptor.identityKey],
    sharedIdentity(first, own?.[descriptor.identityKey] === undefined),
  );
}

interface AccountInput {
  readonly descriptor: ChannelDescriptor;
  readonly accountId: string;
  readonly top: AccountSection;
  /** The section under `accounts`; null when the account is written at the channel's top level. */
  readonly own: AccountSection | null;
  /** What the channel says of bound threads. */
  readonly inherited: ThreadBindingSettings;
}

function normaliseAccount(context: NormaliseContext, input: AccountInput): AccountSettings | null {
  const { descriptor, accountId, top, own, inherited } = input;
  const merged: AccountSection = { ...top, ...own };
  const channelPath: ConfigPath = ["channels", descriptor.channel];
  const ownPath: ConfigPath = own === null ? channelPath : [...channelPath, "accounts", accountId];
  const at = (key: string): ConfigPath => [...(own !== null && own[key] !== undefined ? ownPath : channelPath), key];

  const ownKeys = Object.fromEntries(
    Object.keys(descriptor.ownShape).flatMap((key) => (merged[key] === undefined ? [] : [[key, merged[key]]])),
  );
  const parsed = descriptor.ownSchema.safeParse(ownKeys);
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      reportIssue(issue, descriptor.ownSchema, ownKeys, context.findings, ownPath);
  }

  const isOperator = descriptor.access === "operator";
  const map = descriptor.places?.map;
  const account: AccountSettings = {
    channel: descriptor.channel,
    accountId,
    dmPolicy: isOperator ? "open" : (merged.dmPolicy ?? "pairing"),
    allowFrom: isOperator
      ? ["*"]
      : foldedSenders(context, merged.allowFrom ?? [], { descriptor, path: at("allowFrom") }),
    groupPolicy: isOperator ? "open" : (merged.groupPolicy ?? "allowlist"),
    places:
      descriptor.places === null || map === undefined
        ? new Map()
        : normalisePlaces(context, merged[map] as Parameters<typeof normalisePlaces>[1], {
            descriptor,
            keys: descriptor.places,
            nested: descriptor.places.nested,
            path: at(map),
          }),
    placesInServers: descriptor.places?.inServers ?? false,
    replyToMode: merged.replyToMode ?? descriptor.replyToMode,
    streaming: merged.streaming ?? "partial",
    allowBots: merged.allowBots ?? false,
    maxBotTurns: merged.maxBotTurns ?? 6,
    pacing: merged.pacing ?? true,
    ackReaction: ackReactionOf(context, { descriptor, written: merged.ackReaction ?? "", path: at("ackReaction") }),
    threadBindings: normaliseThreadBindings(own?.threadBindings, inherited),
    own: parsed.success ? parsed.data : null,
  };
  if (!isOperator) checkAccess(context.findings, account, { dmPolicy: at("dmPolicy"), groupPolicy: at("groupPolicy") });
  if (own !== null && accountId !== DEFAULT_ACCOUNT)
    warnWidening(context, { descriptor, top, own, account, path: ownPath });
  return parsed.success ? account : null;
}

/** CH-8. Nothing written, or an empty text: none. */
function ackReactionOf(
  { findings }: NormaliseContext,
  {
    descriptor,
    written,
    path,
  }: { readonly descriptor: ChannelDescriptor; readonly written: string; readonly path: ConfigPath },
): string | null {
  const text = written.trim();
  if (text === "" || descriptor.reactions === null) return null;
  const read = descriptor.reactions.read(text);
  if (read === null) findings.fault(path, badReaction(text, descriptor.channel, descriptor.reactions.example));
  return read;
}

const DM_WIDTH: Readonly<Record<DmPolicy, number>> = { disabled: 0, allowlist: 1, pairing: 2, open: 3 };
const GROUP_WIDTH: Readonly<Record<GroupPolicy, number>> = { disabled: 0, allowlist: 1, open: 2 };

/** IN-5: an open door has to be written twice, so that nobody opens it by accident. */
export function checkAccess(
  findings: Findings,
  account: AccountSettings,
  at: { readonly dmPolicy: ConfigPath; readonly groupPolicy: ConfigPath },
): void {
  if (account.dmPolicy === "open" && !account.allowFrom.includes("*")) {
    findings.fault(at.dmPolicy, OPEN_WITHOUT_STAR);
  }
  if (account.dmPolicy === "disabled" && account.allowFrom.length > 0) {
    findings.warn(at.dmPolicy, disabledWithList(account.allowFrom.length));
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
  const remedy = checkWider(accountName(account), descriptor.channel);
  const dm = top.dmPolicy ?? "pairing";
  if (own.dmPolicy !== undefined && DM_WIDTH[own.dmPolicy] > DM_WIDTH[dm]) {
    context.findings.warn([...path, "dmPolicy"], widerPolicy(own.dmPolicy, dm, remedy));
  }
  const group = top.groupPolicy ?? "allowlist";
  if (own.groupPolicy !== undefined && GROUP_WIDTH[own.groupPolicy] > GROUP_WIDTH[group]) {
    context.findings.warn([...path, "groupPolicy"], widerPolicy(own.groupPolicy, group, remedy));
  }
  if (own.allowFrom !== undefined && account.allowFrom.includes("*") && !(top.allowFrom ?? []).includes("*")) {
    context.findings.warn([...path, "allowFrom"], everyoneOnlyHere(remedy));
  }
  const map = descriptor.places?.map;
  if (map === undefined || own[map] === undefined || top[map] === undefined) return;
  const listed = top[map] as Readonly<Record<string, unknown>>;
  const isListed = Object.keys(listed).length > 0;
  if (isListed && account.groupPolicy === "allowlist" && account.places.has("*") && !Object.hasOwn(listed, "*")) {
    context.findings.warn([...path, map], everyPlaceOnlyHere(remedy));
  }
}
