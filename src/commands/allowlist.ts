import { z } from "zod";
import { accountName } from "../channel/descriptor.ts";
import type { AccountSettings } from "../core/settings.ts";
import { pairedSenders } from "../store/reads/pairing.ts";
import { allowSender } from "../store/steps/allow-sender.ts";
import { revokePairing } from "../store/steps/pairing-revoke.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "./command.ts";

const ACTIONS = ["list", "add", "remove"] as const;

/** `/allowlist list | add <who> [account] | remove <who> [account]` (CM-14): who may write to an account directly, beside the configuration. */
export const allowlistCommand = defineCommand({
  name: "allowlist",
  group: "administration",
  summary: "Show or change who may write to me directly",
  arguments: [
    { name: "action", description: "what to do", choices: ACTIONS },
    { name: "who", description: "an id as /whoami shows it, such as telegram:111222333" },
    { name: "account", description: "the account; default is this conversation's" },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("list"),
    who: z.string().optional(),
    account: z.string().optional(),
  }),
  role: "owner",
  execute: async ({ action, who, account }, context) => {
    if (action === "list") return priv(await list(context));
    if (who === undefined) return priv(`Missing: who. Usage: /allowlist ${action} <who> [account]`);
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
    return `There is no account ${channel}/${wanted}. There are: ${known}.`;
  }
  const fold = services.foldSender(channel, id);
  if (fold === null) return `${channel} has no list of people: whoever reaches it is its operator.`;
  return fold.id === null
    ? `"${id}" is no id of a person on ${channel}. It looks like ${fold.example}.`
    : { account, senderId: fold.id };
}

async function list({ services }: CommandContext): Promise<string> {
  const stored = await services.store.read(pairedSenders, null);
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
  if (channel === route.channel && accountId === route.accountId && senderId === sender.id)
    return "That is you. Another owner can take you off the list.";
  const removed = await services.store.step(revokePairing, { channel, accountId, senderId });
  const configured = account.allowFrom.includes(senderId);
  const stays = configured ? ` They stay in allowFrom of the configuration, which still lets them in.` : "";
  if (removed) return `\`${channel}:${senderId}\` is off the list of ${place}.${stays}`;
  return configured
    ? `\`${channel}:${senderId}\` stands in allowFrom of the configuration of ${place}; take it out there.`
    : `\`${channel}:${senderId}\` is not on the list of ${place}.`;
}
