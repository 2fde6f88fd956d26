import type { ChannelDescriptor } from "../../channel/descriptor.ts";
import type { CommandServices } from "../command.ts";

/** How people's ids are written on each channel, by the adapters' own rules (FC-053). */
export function senderFolder(channels: readonly ChannelDescriptor[]): CommandServices["foldSender"] {
  const byName = new Map(channels.map((descriptor) => [descriptor.channel, descriptor]));
  return (channel, id) => {
    const known = byName.get(channel);
    if (known === undefined || known.access === "operator") return null;
    return { id: known.foldId(id, "sender"), example: known.idExample.sender };
  };
}
