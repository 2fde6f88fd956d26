import { z } from "zod";
import { foldPairingCode } from "../../routing/pairing.ts";
import { type PairingRequest, pairedSenders, pairingRequests } from "../../store/reads/people/people.ts";
import { approvePairing } from "../../store/steps/people/pairing-approve.ts";
import { denyPairing } from "../../store/steps/people/pairing-deny.ts";
import { type CommandAnswer, type CommandServices, defineCommand } from "../command.ts";

const ACTIONS = ["list", "approve", "deny"] as const;

/** `/pairing list|approve|deny` (IN-5): lets people in who asked, for direct messages of that account only. */
export const pairing = defineCommand({
  name: "pairing",
  group: "administration",
  summary: "Who asked to be let in; approve or deny them",
  arguments: [
    { name: "action", description: "what to do", choices: ACTIONS },
    { name: "code", description: "the code they were shown, after its channel or alone" },
    { name: "more", description: "the code, when the channel came first; owner also makes them an owner", rest: true },
  ],
  input: z.object({
    action: z.enum(ACTIONS).default("list"),
    code: z.string().optional(),
    more: z.string().optional(),
  }),
  role: "owner",
  execute: async ({ action, code, more }, { services }) => {
    if (action === "list") return { text: await list(services), private: true };
    const words = [code, more]
      .filter((text) => text !== undefined)
      .join(" ")
      .split(/\s+/)
      .filter((word) => word !== "");
    return decide(action, words, services);
  },
});

async function list({ store, clock }: CommandServices): Promise<string> {
  const waiting = await store.read(pairingRequests, { now: clock.now(), account: null });
  const paired = await store.read(pairedSenders, null);
  if (waiting.length === 0 && paired.length === 0) return "Nobody waits, and nobody was paired.";
  const asks = waiting.map((ask) => {
    const minutes = Math.max(1, Math.ceil((ask.expiresAt - clock.now()) / 60_000));
    return `- \`${ask.code}\` ${ask.senderName} (\`${ask.channel}:${ask.senderId}\`) on ${ask.channel}/${ask.accountId}, for ${minutes} min more`;
  });
  const known = paired.map(
    (one) => `- \`${one.channel}:${one.senderId}\` on ${one.channel}/${one.accountId}${one.owner ? ", owner" : ""}`,
  );
  return [
    ...(asks.length === 0 ? ["Nobody waits."] : ["**Waiting**", ...asks]),
    ...(known.length === 0 ? [] : ["", "**Paired**", ...known]),
  ].join("\n");
}

async function decide(
  action: "approve" | "deny",
  words: readonly string[],
  services: CommandServices,
): Promise<CommandAnswer> {
  const { store, clock, settings } = services;
  const waiting = await store.read(pairingRequests, { now: clock.now(), account: null });
  const named = waiting.filter((ask) => words.some((word) => foldPairingCode(word) === ask.code));
  const channels = new Set(waiting.map((ask) => ask.channel));
  const channel = words.find((word) => channels.has(word));
  const ask = named.find((one) => channel === undefined || one.channel === channel);
  if (ask === undefined) return { text: unknown(action, waiting), private: true };
  const choice = { channel: ask.channel, accountId: ask.accountId, code: ask.code };
  if (action === "deny") {
    await store.step(denyPairing, choice);
    return { text: `${ask.senderName} was refused. They may ask again.`, private: true };
  }
  const owner = words.some((word) => /^(--)?owner$/i.test(word));
  const approved = await store.step(approvePairing, { ...choice, owner });
  if (approved === null) return { text: unknown(action, []), private: true };
  const noOwner = approved.owners + settings.commands.ownerAllowFrom.length === 0;
  const lines = [
    `${ask.senderName} may now write to ${ask.channel}/${ask.accountId} directly${owner ? " and is an owner" : ""}.`,
    ...(noOwner
      ? [`There is no owner yet; \`${ask.channel}:${ask.senderId}\` in commands.ownerAllowFrom makes them one.`]
      : []),
  ];
  return { text: lines.join(" "), private: true };
}

function unknown(action: string, waiting: readonly PairingRequest[]): string {
  const codes = waiting.map((ask) => `\`${ask.code}\``).join(", ");
  const hint = codes === "" ? "Nobody waits." : `Waiting: ${codes}.`;
  return `No request with that code waits. ${hint} Usage: /pairing ${action} <code>`;
}
