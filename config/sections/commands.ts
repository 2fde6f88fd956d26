import { z } from "zod";
import type { Settings } from "../../src/core/settings.ts";
import { EVERYONE_IS_OWNER } from "../../src/core/texts/config/people.ts";
import { type NormaliseContext, qualifiedSenders } from "./context.ts";
import { flag, ids } from "./values.ts";

export const commandsSchema = z.strictObject({
  ownerAllowFrom: ids.optional(),
  adminAllowFrom: ids.optional(),
  allowFrom: ids.optional(),
  config: flag.optional(),
});
export type CommandsSection = z.infer<typeof commandsSchema>;

export function normaliseCommands(
  context: NormaliseContext,
  section: CommandsSection | undefined,
): Settings["commands"] {
  const owners = qualifiedSenders(context, section?.ownerAllowFrom ?? [], ["commands", "ownerAllowFrom"]);
  if (owners.includes("*")) {
    context.findings.warn(["commands", "ownerAllowFrom"], EVERYONE_IS_OWNER);
  }
  return {
    config: section?.config ?? false,
    ownerAllowFrom: owners,
    adminAllowFrom:
      section?.adminAllowFrom === undefined
        ? null
        : qualifiedSenders(context, section.adminAllowFrom, ["commands", "adminAllowFrom"]),
    allowFrom:
      section?.allowFrom === undefined ? null : qualifiedSenders(context, section.allowFrom, ["commands", "allowFrom"]),
  };
}
