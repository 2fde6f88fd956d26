import type { Command } from "commander";
import { notAPublicUrl } from "../../core/texts/cli/answers.ts";
import { HELP, setUp } from "../../core/texts/cli/help.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../invocation.ts";

/** `switchyard <channel> manifest`: the description of an app that a platform takes, for those that take one (CH-2). */
export function addManifest(program: Command, deps: CliDeps): void {
  for (const { channel, manifest } of deps.catalog.channels) {
    if (manifest === undefined) continue;
    program
      .command(channel)
      .description(setUp(channel))
      .command("manifest")
      .description(HELP.manifest)
      .option("--url <address>", HELP.manifestUrl)
      .action(async ({ url }: { readonly url?: string }) => {
        if (url !== undefined && !/^https?:\/\/[^\s/]+\/\S+$/.test(url))
          throw new CliFailure(notAPublicUrl(url, channel));
        const { COMMANDS, nativeCommands } = await import("../../commands/registry.ts");
        const made = await manifest({ commands: nativeCommands(COMMANDS), requestUrl: url ?? null });
        deps.output.json(made);
      });
  }
}
