import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import {
  badId,
  noChannel,
  standsForSeveral,
  unknownAgent,
  unknownChannel,
} from "../../src/core/texts/config/people.ts";
import type { Environment } from "../load/environment.ts";
import type { ConfigPath, Findings } from "../load/findings.ts";

/** What every part of the normalisation needs beside its own section. */
export interface NormaliseContext {
  readonly findings: Findings;
  readonly channels: readonly ChannelDescriptor[];
  /** The names of all tools there are, for warnings about unknown ones (TP-2). */
  readonly toolNames: readonly string[];
  /** The MCP servers the file names, whose tools only they know. */
  readonly mcpServers: readonly string[];
  /** Every agent id the file names, also of entries that have faults. */
  readonly agentIds: readonly string[];
  /** With what `.env` adds. */
  readonly env: Environment;
  /** What relative paths in the file start from. */
  readonly baseDir: string;
  /** Told every further file that is read: a change of it is a change of the configuration (OP-2). */
  readonly onRead: (file: string) => void;
}

/** The channel with this name, or null after a fault that says what to write. */
export function channelNamed(context: NormaliseContext, name: string, path: ConfigPath): ChannelDescriptor | null {
  const found = context.channels.find((entry) => entry.channel === name);
  if (found !== undefined) return found;
  const known = context.channels.map((entry) => entry.channel);
  context.findings.fault(path, unknownChannel(name, known));
  return null;
}

/** True when the agent exists; else a fault. */
export function checkAgent(context: NormaliseContext, agentId: string, path: ConfigPath): boolean {
  if (context.agentIds.includes(agentId)) return true;
  context.findings.fault(path, unknownAgent(agentId, context.agentIds));
  return false;
}

/** An id in its platform's canonical form (FC-053), or null after a fault. */
export function foldedId(
  context: NormaliseContext,
  id: string | number,
  at: { readonly descriptor: ChannelDescriptor; readonly what: "sender" | "place"; readonly path: ConfigPath },
): string | null {
  const folded = at.descriptor.foldId(String(id), at.what);
  if (folded !== null) return folded;
  const example = at.descriptor.idExample[at.what];
  context.findings.fault(at.path, badId(String(id), at.descriptor.channel, example));
  return null;
}

/** Sender ids of one channel; `*` stays. */
export function foldedSenders(
  context: NormaliseContext,
  ids: readonly (string | number)[],
  at: { readonly descriptor: ChannelDescriptor; readonly path: ConfigPath },
): readonly string[] {
  const folded = ids.map((id, index) =>
    id === "*" ? id : foldedSender(context, id, at.descriptor, [...at.path, index]),
  );
  return [...new Set(folded.filter((id) => id !== null))];
}

/** FC-424: an id that several people write as lets all of them in, so it is named. */
function foldedSender(
  context: NormaliseContext,
  written: string | number,
  descriptor: ChannelDescriptor,
  path: ConfigPath,
): string | null {
  const id = foldedId(context, written, { descriptor, what: "sender", path });
  if (id !== null && descriptor.standsForSeveral?.(id) === true) context.findings.warn(path, standsForSeveral(id));
  return id;
}

/** A sender written `<channel>:<id>`, with its id folded; `*` stays. */
export function qualifiedSender(context: NormaliseContext, written: string | number, path: ConfigPath): string | null {
  const text = String(written);
  if (text === "*") return text;
  const cut = text.indexOf(":");
  if (cut <= 0) {
    context.findings.fault(path, noChannel(text));
    return null;
  }
  const descriptor = channelNamed(context, text.slice(0, cut), path);
  if (descriptor === null) return null;
  const id = foldedSender(context, text.slice(cut + 1), descriptor, path);
  return id === null ? null : `${descriptor.channel}:${id}`;
}

export function qualifiedSenders(
  context: NormaliseContext,
  list: readonly (string | number)[],
  path: ConfigPath,
): readonly string[] {
  return [
    ...new Set(
      list.map((entry, index) => qualifiedSender(context, entry, [...path, index])).filter((entry) => entry !== null),
    ),
  ];
}
