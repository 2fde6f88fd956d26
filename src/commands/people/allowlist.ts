import { z } from "zod";
import { accountName } from "../../channel/descriptor.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { pairedSenders, placeSenders } from "../../store/reads/people/people.ts";
import { allowSender } from "../../store/steps/people/allow-sender.ts";
import { listInPlace } from "../../store/steps/people/list-in-place.ts";
import { revokePairing } from "../../store/steps/people/pairing-revoke.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";

/** In place of an account: the group or channel the command is typed in. */
const HERE = "here";
const ACTIONS = ["list", "add", "remove"] as const;

/**
 * `/allowlist list | add <who> [account|here] | remove <who> [account|here]` (CM-14): who may write to an account directly, or in
 * the group or channel it is typed in, beside the configuration.
 */
export const allowlistCommand = defineCommand({
  name: "allowlist",
  group: "administration",
  summary: "Show or change who may write to me directly, or in this group",
  arguments: [
    { name: "action", description: "what to do", choices: ACTIONS },
    { name: "who", description: "an id as /whoami shows it, such as telegram:111222333" },
    { name: "account", description: "the account, default is this conversation's; `here` is this group or channel" },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("list"),
    who: z.string().optional(),
    account: z.string().optional(),
  }),
  role: "owner",
  execute: async ({ action, who, account }, context) => {
    if (action === "list") return priv(await list(context));
    if (who === undefined) return priv(`Missing: who. Usage: /allowlist ${action} <who> [account|here]`);
    if (account === HERE) return priv(await changeHere(who, action === "add", context));
    const target = targetOf(who, account ?? null, context);
    if (typeof target === "string") return priv(target);
    return priv(action === "add" ? await add(target, context) : await remove(target, context));
  },
});

const ITSELF = "That is you. Another owner can take you off the list.";

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
    return `There is no account ${channel}/${wanted}. There are: ${known}.`;
  }
  const fold = services.foldSender(channel, id);
  if (fold === null) return `${channel} has no list of people: whoever reaches it is its operator.`;
  return fold.id === null
    ? `"${id}" is no id of a person on ${channel}. It looks like ${fold.example}.`
    : { account, senderId: fold.id };
}

/** Whom the stored list of a group lets in where the configuration lets in only some (CM-14). */
async function changeHere(who: string, listed: boolean, context: CommandContext): Promise<string> {
  const { rights, services } = context;
  const { group } = rights;
  if (group === null) return "This is no group or channel. Write it there, or leave `here` out.";
  const target = targetOf(who, group.accountId, context);
  if (typeof target === "string") return target;
  const { account, senderId } = target;
  const person = `\`${account.channel}:${senderId}\``;
  if (account.channel !== group.channel) return `${person} is nobody of ${group.channel}.`;
  if (!listed && senderId === context.sender.id) return ITSELF;
  const { channel, accountId, id: peerId } = group;
  const changed = await services.store.step(listInPlace, { channel, accountId, peerId, senderId, listed });
  if (!listed)
    return changed ? `${person} is off the list of this group.` : `${person} is not on the list of this group.`;
  if (!changed) return `${person} is on the list of this group already.`;
  return `${person} may write to me here, also where the configuration names who may.`;
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
      ...account.allowFrom.map((id) => `- \`${id}\`, in the configuration`),
      ...own.map((one) => {
        const why = one.listed ? "put on the list" : "paired";
        const idle = admits(account, one.listed) ? "" : `, without effect while dmPolicy is ${account.dmPolicy}`;
        return `- \`${one.senderId}\`, ${why}${one.owner ? ", owner" : ""}${idle}`;
      }),
      ...inPlaces
        .filter((one) => one.channel === account.channel && one.accountId === account.accountId)
        .map((one) => `- \`${one.senderId}\`, put on the list of group \`${one.peerId}\``),
    ];
    const title = `**${accountName(account)}** (dmPolicy ${account.dmPolicy})`;
    return [[title, ...(lines.length === 0 ? ["- nobody"] : lines)].join("\n")];
  });
  return sections.length === 0 ? "No account here has a list of people." : sections.join("\n\n");
}

function admits({ dmPolicy }: AccountSettings, listed: boolean): boolean {
  return dmPolicy === "pairing" || (dmPolicy === "allowlist" && listed);
}

async function add({ account, senderId }: Target, { services }: CommandContext): Promise<string> {
  const place = accountName(account);
  const { channel, accountId } = account;
  const added = await services.store.step(allowSender, { channel, accountId, senderId });
  if (!added) return `\`${channel}:${senderId}\` is on the list of ${place} already.`;
  const note = admits(account, true) ? "" : ` It has no effect while dmPolicy is ${account.dmPolicy}.`;
  return `\`${channel}:${senderId}\` may write to ${place} directly.${note}`;
}

async function remove(target: Target, { services, sender, route }: CommandContext): Promise<string> {
  const { account, senderId } = target;
  const { channel, accountId } = account;
  const place = accountName(account);
  if (channel === route.channel && accountId === route.accountId && senderId === sender.id) return ITSELF;
  const removed = await services.store.step(revokePairing, { channel, accountId, senderId });
  const configured = account.allowFrom.includes(senderId);
  const stays = configured ? ` They stay in allowFrom of the configuration, which still lets them in.` : "";
  if (removed) return `\`${channel}:${senderId}\` is off the list of ${place}.${stays}`;
  return configured
    ? `\`${channel}:${senderId}\` stands in allowFrom of the configuration of ${place}; take it out there.`
    : `\`${channel}:${senderId}\` is not on the list of ${place}.`;
}
