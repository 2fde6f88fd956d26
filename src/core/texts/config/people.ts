import { didYouMean, type FaultText, IS_MISSING } from "./shape.ts";

/* What can be wrong with who may talk: channels, accounts, places, commands, bindings. */

export function unknownChannel(name: string, known: readonly string[]): FaultText {
  return { problem: `unknown channel "${name}"`, remedy: didYouMean(name, known) };
}

export function unknownAgent(agentId: string, known: readonly string[]): FaultText {
  return { problem: `unknown agent "${agentId}"`, remedy: didYouMean(agentId, known) };
}

export function badId(id: string, channel: string, example: string): FaultText {
  return { problem: `"${id}" is not a valid id on ${channel}`, remedy: `Use an id such as ${example}.` };
}

export function noChannel(sender: string): FaultText {
  return {
    problem: `"${sender}" does not name a channel`,
    remedy: `Write "<channel>:<id>", such as "telegram:${sender}".`,
  };
}

export const OPEN_WITHOUT_STAR: FaultText = {
  problem: '"open" lets everyone in, but allowFrom does not contain "*"',
  remedy: 'Set allowFrom: ["*"], or use "pairing" or "allowlist".',
};

export function disabledWithList(people: number): FaultText {
  return {
    problem: `"disabled" also blocks the ${people} listed in allowFrom`,
    remedy: 'Use "allowlist" to let them in.',
  };
}

export function widerPolicy(own: string, channel: string, remedy: string): FaultText {
  return { problem: `"${own}" is wider than the channel's "${channel}"`, remedy };
}

export function everyoneOnlyHere(remedy: string): FaultText {
  return { problem: `"*" lets everyone in, but the channel's list does not`, remedy };
}

export function everyPlaceOnlyHere(remedy: string): FaultText {
  return { problem: `"*" allows every place, but the channel's map does not`, remedy };
}

export function checkWider(account: string, channel: string): string {
  return `Check that ${account} should be wider than channels.${channel}.`;
}

export function reservedName(name: string): FaultText {
  return { problem: `the name "${name}" is a reserved word`, remedy: "Choose another name." };
}

export function sharedIdentity(first: string, isInherited: boolean): FaultText {
  return {
    problem: isInherited
      ? `inherits the channel's value, which account "${first}" already uses`
      : `is the same value that account "${first}" uses`,
    remedy: "Give each account its own bot.",
  };
}

export function badReaction(written: string, channel: string, example: string): FaultText {
  return { problem: `"${written}" is not a valid reaction on ${channel}`, remedy: `Use one such as ${example}.` };
}

export function listedTwice(what: string): FaultText {
  return { problem: `${what} is listed twice`, remedy: "Keep one of the entries." };
}

export function bindingWithoutAgent(known: readonly string[]): FaultText {
  return { problem: IS_MISSING, remedy: `Available: ${known.join(", ")}.` };
}

export const BINDING_MATCHES_ALL: FaultText = {
  problem: "matches everything",
  remedy: "Set what it matches. For everything else, set default: true on an agent.",
};

export function unknownAccount(accountId: string, known: readonly string[]): FaultText {
  return { problem: `no enabled account is called "${accountId}"`, remedy: didYouMean(accountId, known) };
}

export const EVERYONE_IS_OWNER: FaultText = {
  problem: '"*" makes everyone an owner',
  remedy: "List the owners by their ids.",
};

export const STAR_IS_NO_PERSON: FaultText = {
  problem: '"*" is not a person\'s id',
  remedy: "List one person's ids.",
};

export function idOfAnother(sender: string, other: string): FaultText {
  return { problem: `${sender} already belongs to "${other}"`, remedy: "Give each id to one person only." };
}

export const SHARED_MAIN: FaultText = {
  problem: '"main" puts the direct messages of several people into one session, where they can read each other',
  remedy: 'Use "per-channel-peer", or let one person in and link their ids with session.identityLinks.',
};

export function standsForSeveral(id: string): FaultText {
  return {
    problem: `${id} is not one person. Everyone who writes anonymously or as a chat shares it`,
    remedy: "List people's own ids, unless you mean all of them.",
  };
}
