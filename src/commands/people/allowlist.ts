import { z } from "zod";
import { accountName } from "../../core/ids.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { peopleTexts } from "../../core/texts/commands/people.ts";
import { pairedSenders, placeSenders } from "../../store/reads/people/people.ts";
import { allowSender } from "../../store/steps/people/allow-sender.ts";
import { listInPlace } from "../../store/steps/people/list-in-place.ts";
import { revokePairing } from "../../store/steps/people/pairing-revoke.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

/** In place of an account: the group or channel the command is typed in. */
const HERE = "here";
const texts = peopleTexts.allowlist;
const ACTIONS = ["list", "add", "remove"] as const;

/**
 * `/allowlist list | add <who> [account|here] | remove <who> [account|here]` (CM-14): who may write to an account directly, or in
 * the group or channel it is typed in, beside the configuration.
 */
export const allowlistCommand = defineCommand({
  name: "allowlist",
  group: "administration",
  summary: texts.summary,
  arguments: [
    { name: "action", description: peopleTexts.action, choices: ACTIONS },
    { name: "who", description: texts.who },
    { name: "account", description: texts.account },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("list"),
    who: z.string().optional(),
    account: z.string().optional(),
  }),
  role: "owner",
  execute: async ({ action, who, account }, context) => {
    if (action === "list") return priv(context.inPrivate ? await list(context) : peopleTexts.notPrivate);
    if (who === undefined) return priv(texts.whoMissing(action));
    if (account === HERE) return priv(await changeHere(who, action === "add", context));
    const target = targetOf(who, account ?? null, context);
    if (typeof target === "string") return priv(target);
    return priv(action === "add" ? await add(target, context) : await remove(target, context));
  },
});

interface Target {
  readonly account: AccountSettings;
  readonly senderId: string;
}

function priv(text: string): CommandAnswer {
  return { text, private: true };
}

/** A sentence: who or what is meant cannot be found out. */
function targetOf(who: string, accountId: string | null, { services, route }: CommandContext): Target | string {
  const { accounts } = services.settings;
  const named = /^([a-z][a-z0-9_-]*):(.+)$/.exec(who);
  const before = named?.[1] ?? "";
  // A channel without an account is named too: what is missing then is the account, not a well-formed id.
  const isChannel = accounts.some(({ channel }) => channel === before) || services.foldSender(before, "") !== null;
  const [channel, id] = named !== null && isChannel ? [named[1] ?? "", named[2] ?? ""] : [route.channel, who];
  const wanted = accountId ?? (channel === route.channel ? route.accountId : "default");
  const account = accounts.find((known) => known.channel === channel && known.accountId === wanted);
  if (account === undefined) {
    const known = accounts.map(accountName).join(", ");
    return texts.noAccount(`${channel}/${wanted}`, known);
  }
  const fold = services.foldSender(channel, id);
  if (fold === null) return texts.operatorChannel(channel);
  return fold.id === null ? texts.badId(id, channel, fold.example) : { account, senderId: fold.id };
}

/** The people on the stored list of a group; it counts only where the configuration restricts access (CM-14). */
async function changeHere(who: string, listed: boolean, context: CommandContext): Promise<string> {
  const { rights, services } = context;
  const { group } = rights;
  if (group === null) return texts.noGroup;
  const target = targetOf(who, group.accountId, context);
  if (typeof target === "string") return target;
  const { account, senderId } = target;
  const person = `\`${account.channel}:${senderId}\``;
  if (account.channel !== group.channel) return texts.otherChannel(person, group.channel);
  if (!listed && senderId === context.sender.id) return peopleTexts.itself;
  const { channel, accountId, id: peerId } = group;
  const changed = await services.store.step(listInPlace, { channel, accountId, peerId, senderId, listed });
  if (!listed) return changed ? texts.removedHere(person) : texts.notHere(person);
  if (!changed) return texts.alreadyHere(person);
  return texts.addedHere(person);
}

async function list({ services }: CommandContext): Promise<string> {
  const [stored, inPlaces] = await Promise.all([
    services.store.read(pairedSenders, null),
    services.store.read(placeSenders, undefined),
  ]);
  const sections = services.settings.accounts.flatMap((account) => {
    if (services.foldSender(account.channel, "") === null) return [];
    const own = stored.filter((one) => one.channel === account.channel && one.accountId === account.accountId);
    const lines = [
      ...account.allowFrom.map((id) => texts.configured(id)),
      ...own.map((one) => {
        const idle = admits(account, one.listed) ? "" : texts.noEffect(account.dmPolicy);
        const entry = one.listed ? texts.added(one.senderId) : texts.pairedUser(one.senderId);
        return `${entry}${one.owner ? texts.owner : ""}${idle}`;
      }),
      ...inPlaces
        .filter((one) => one.channel === account.channel && one.accountId === account.accountId)
        .map((one) => texts.addedToGroup(one.senderId, one.peerId)),
    ];
    const title = texts.title(accountName(account), account.dmPolicy);
    return [[title, ...(lines.length === 0 ? [texts.nobody] : lines)].join("\n")];
  });
  return sections.length === 0 ? texts.noLists : sections.join("\n\n");
}

function admits({ dmPolicy }: AccountSettings, listed: boolean): boolean {
  return dmPolicy === "pairing" || (dmPolicy === "allowlist" && listed);
}

async function add({ account, senderId }: Target, { services }: CommandContext): Promise<string> {
  const place = accountName(account);
  const { channel, accountId } = account;
  const added = await services.store.step(allowSender, { channel, accountId, senderId });
  const person = `\`${channel}:${senderId}\``;
  if (!added) return texts.already(person, place);
  return admits(account, true) ? texts.allowed(person, place) : texts.allowedLater(person, place, account.dmPolicy);
}

async function remove(target: Target, { services, sender, route }: CommandContext): Promise<string> {
  const { account, senderId } = target;
  const { channel, accountId } = account;
  const place = accountName(account);
  if (channel === route.channel && accountId === route.accountId && senderId === sender.id) return peopleTexts.itself;
  const removed = await services.store.step(revokePairing, { channel, accountId, senderId });
  const configured = account.allowFrom.includes(senderId);
  const person = `\`${channel}:${senderId}\``;
  if (removed) return configured ? texts.removedButConfigured(person, place) : texts.removed(person, place);
  return configured ? texts.onlyConfigured(person, place) : texts.notListed(person, place);
}
