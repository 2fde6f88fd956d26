import { z } from "zod";
import type { AccountSettings, AgentBinding } from "../../src/core/settings.ts";
import { BINDING_MATCHES_ALL, bindingWithoutAgent, unknownAccount } from "../../src/core/texts/config/people.ts";
import type { ConfigPath } from "../load/findings.ts";
import { channelNamed, checkAgent, foldedId, type NormaliseContext } from "./context.ts";
import { dmScope, filledText, groupScope, id, ids } from "./values.ts";

export const bindingSchema = z.strictObject({
  agentId: filledText.optional(),
  match: z
    .strictObject({
      channel: filledText.optional(),
      accountId: filledText.optional(),
      peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id }).optional(),
      guildId: id.optional(),
      roles: ids.optional(),
      teamId: id.optional(),
    })
    .optional(),
  session: z
    .strictObject({
      dmScope: dmScope.optional(),
      groupScope: groupScope.optional(),
    })
    .optional(),
});
export type BindingSection = z.infer<typeof bindingSchema>;

/** `bindings[]` (IN-8), in the file's order. */
export function normaliseBindings(
  context: NormaliseContext,
  sections: readonly BindingSection[] | undefined,
  accounts: readonly AccountSettings[],
): readonly AgentBinding[] {
  return (sections ?? []).map((section, index) =>
    normaliseBinding(context, { section, path: ["bindings", index], accounts }),
  );
}

interface BindingInput {
  readonly section: BindingSection;
  readonly path: ConfigPath;
  readonly accounts: readonly AccountSettings[];
}

function normaliseBinding(context: NormaliseContext, { section, path, accounts }: BindingInput): AgentBinding {
  const match = section.match ?? {};
  if (section.agentId === undefined)
    context.findings.fault([...path, "agentId"], bindingWithoutAgent(context.agentIds));
  else checkAgent(context, section.agentId, [...path, "agentId"]);
  if (Object.keys(match).length === 0) {
    context.findings.fault([...path, "match"], BINDING_MATCHES_ALL);
  }
  const descriptor =
    match.channel === undefined ? null : channelNamed(context, match.channel, [...path, "match", "channel"]);
  checkAccount(context, { section, path, accounts });
  const peer = match.peer;
  const peerPath = [...path, "match", "peer", "id"];
  const what = peer?.kind === "direct" ? "sender" : "place";
  const isFolded = peer !== undefined && descriptor !== null && peer.id !== "*";
  const peerId = isFolded ? foldedId(context, peer.id, { descriptor, what, path: peerPath }) : String(peer?.id ?? "");
  return {
    agentId: section.agentId ?? "",
    match: {
      channel: match.channel ?? null,
      accountId: match.accountId ?? null,
      peer: peer === undefined || peerId === null ? null : { kind: peer.kind, id: peerId },
      guildId: match.guildId === undefined ? null : String(match.guildId),
      roles: match.roles === undefined ? null : match.roles.map(String),
      teamId: match.teamId === undefined ? null : String(match.teamId),
    },
    session: { dmScope: section.session?.dmScope ?? null, groupScope: section.session?.groupScope ?? null },
  };
}

function checkAccount(context: NormaliseContext, { section, path, accounts }: BindingInput): void {
  const { channel, accountId } = section.match ?? {};
  if (accountId === undefined) return;
  const known = accounts
    .filter((account) => channel === undefined || account.channel === channel)
    .map((account) => account.accountId);
  if (known.includes(accountId)) return;
  context.findings.warn([...path, "match", "accountId"], unknownAccount(accountId, [...new Set(known)]));
}
