import type { Command } from "commander";
import { nativeCommands } from "../../commands/native.ts";
import { COMMANDS } from "../../commands/registry.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../invocation.ts";

/** `switchyard <channel> manifest`: the description of an app that a platform takes, for those that take one (CH-2). */
export function addManifest(program: Command, deps: CliDeps): void {
  for (const { channel, manifest } of deps.catalog.channels) {
    if (manifest === undefined) continue;
    program
      .command(channel)
      .description(`set up ${channel}`)
      .command("manifest")
      .description("print the app manifest with exactly the rights and commands in use")
      .option("--url <address>", "the public address that events are sent to; without it they come over a connection")
      .action(async ({ url }: { readonly url?: string }) => {
        if (url !== undefined && !/^https?:\/\/[^\s/]+\/\S+$/.test(url))
          throw new CliFailure(
            `"${url}" is not the address of a path`,
            `Give the whole of it, such as https://bot.example.org/${channel}/events.`,
          );
        const made = await manifest({ commands: nativeCommands(COMMANDS), requestUrl: url ?? null });
        deps.output.out(JSON.stringify(made, null, 2));
      });
  }
}
