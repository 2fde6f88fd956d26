import { z } from "zod";
import type { ChannelDescriptor } from "../../channel/descriptor.ts";
import { accountName } from "../../core/ids.ts";
import { quotedInChat } from "../../core/text/visible.ts";
import { peopleTexts } from "../../core/texts/commands/people.ts";
import { foldPairingCode } from "../../routing/pairing.ts";
import { type PairingRequest, pairedSenders, pairingRequests } from "../../store/reads/people/people.ts";
import { approvePairing } from "../../store/steps/people/pairing-approve.ts";
import { denyPairing } from "../../store/steps/people/pairing-deny.ts";
import { type CommandAnswer, type CommandContext, type CommandServices, defineCommand } from "../command.ts";

const texts = peopleTexts.pairing;
const ACTIONS = ["list", "approve", "deny"] as const;

/** `/pairing list|approve|deny` (IN-5): lets people in who asked, for direct messages of that account only. */
export const pairing = defineCommand({
  name: "pairing",
  group: "administration",
  summary: texts.summary,
  arguments: [
    { name: "action", description: peopleTexts.action, choices: ACTIONS },
    { name: "code", description: texts.code },
    { name: "more", description: texts.more, rest: true },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("list"),
    code: z.string().optional(),
    more: z.string().optional(),
  }),
  role: "owner",
  execute: async ({ action, code, more }, { services, inPrivate }) => {
    if (action === "list") return { text: inPrivate ? await list(services) : peopleTexts.notPrivate, private: true };
    const words = [code, more]
      .filter((text) => text !== undefined)
      .join(" ")
      .split(/\s+/)
      .filter((word) => word !== "");
    return decide(action, words, { services, inPrivate });
  },
});

async function list({ store, clock }: CommandServices): Promise<string> {
  const waiting = await store.read(pairingRequests, { now: clock.now(), account: null });
  const paired = await store.read(pairedSenders, null);
  if (waiting.length === 0 && paired.length === 0) return texts.none;
  const asks = waiting.map((ask) => {
    const minutes = Math.max(1, Math.ceil((ask.expiresAt - clock.now()) / 60_000));
    return texts.request(
      ask.code,
      quotedInChat(ask.senderName),
      `${ask.channel}:${ask.senderId}`,
      accountName(ask),
      minutes,
    );
  });
  const known = paired.map((one) => texts.pairedUser(`${one.channel}:${one.senderId}`, accountName(one), one.owner));
  return [
    ...(asks.length === 0 ? [texts.noPending] : [texts.pending, ...asks]),
    ...(known.length === 0 ? [] : ["", texts.paired, ...known]),
  ].join("\n");
}

async function decide(
  action: "approve" | "deny",
  words: readonly string[],
  { services, inPrivate }: Pick<CommandContext, "services" | "inPrivate">,
): Promise<CommandAnswer> {
  const { store, clock, settings } = services;
  const waiting = await store.read(pairingRequests, { now: clock.now(), account: null });
  const named = waiting.filter((ask) => words.some((word) => foldPairingCode(word) === ask.code));
  const channels = new Set(waiting.map((ask) => ask.channel));
  const channel = words.find((word) => channels.has(word));
  const ask = named.find((one) => channel === undefined || one.channel === channel);
  if (ask === undefined) return { text: unknown(action, inPrivate ? waiting : null), private: true };
  const choice = { channel: ask.channel, accountId: ask.accountId, code: ask.code };
  if (action === "deny") {
    await store.step(denyPairing, choice);
    return { text: texts.denied(quotedInChat(ask.senderName)), private: true };
  }
  const owner = words.some((word) => /^(--)?owner$/i.test(word));
  const approved = await store.step(approvePairing, { ...choice, owner });
  if (approved === null) return { text: unknown(action, []), private: true };
  const noOwner = approved.owners + settings.commands.ownerAllowFrom.length === 0;
  const lines = [
    texts.approved(quotedInChat(ask.senderName), accountName(ask), owner),
    ...(noOwner ? [texts.noOwner(`${ask.channel}:${ask.senderId}`)] : []),
  ];
  return { text: lines.join(" "), private: true };
}

/** null: others read it too, so no code is shown. */
function unknown(action: string, waiting: readonly PairingRequest[] | null): string {
  return texts.unknownCode(action, waiting === null ? null : waiting.map((ask) => ask.code));
}

/** How people's ids are written on each channel, by the adapters' own rules (FC-053). */
export function senderFolder(channels: readonly ChannelDescriptor[]): CommandServices["foldSender"] {
  const byName = new Map(channels.map((descriptor) => [descriptor.channel, descriptor]));
  return (channel, id) => {
    const known = byName.get(channel);
    if (known === undefined || known.access === "operator") return null;
    return { id: known.foldId(id, "sender"), example: known.idExample.sender };
  };
}
