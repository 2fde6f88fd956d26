import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import {
  cellName,
  FAULTS,
  type Guarantee,
  type GuaranteeCell,
  type GuaranteeFault,
  type GuaranteeKind,
  KINDS,
} from "../../src/channel/guarantee.ts";
import { row } from "./table.ts";

const INTRODUCTION = `# The guarantee, cell by cell

Generated from \`guarantee.ts\` in each folder of \`adapters/\` by \`node docs/generate/write.ts\` (DL-15). The meaning for people and operators is in [delivery-guarantee.md](../delivery-guarantee.md).

- **exactly once**: people read it once.
- **at least once, labelled**: people read it. It may appear twice, only in these cells.
- **at most once**: it may be missing. Then it is listed as failed with the platform's reason, and the agent is told.
- **a line instead**: the reply can no longer be shown to its caller alone. One line says that the command ran.
- **best effort**: tried once. Nothing else depends on it.

Every cell that applies is a test of \`test/guarantee/\` (\`npx vitest run test/guarantee\`): the whole program between emulated platforms, every cell in its own conversation. The process is killed with SIGKILL while the platform holds all these sends; the hour passes on the program's own clock, and it keeps trying. A command is a typed one; an edit is the last one of a streamed reply.`;

const KIND_NAMES: Readonly<Record<GuaranteeKind, string>> = {
  text: "text",
  pieces: "several pieces",
  edit: "edit of a streamed reply",
  file: "file",
  reaction: "reaction",
  thread: "thread creation",
  command: "reply to a command",
  native: "reply to a native command",
  private: "reply to a native command, visible to its caller only",
};

/** The page of the guarantees on every platform, from the adapters' declarations alone (DL-15). */
export async function guaranteePage(channels: readonly ChannelDescriptor[]): Promise<string> {
  const sections = await Promise.all(
    channels.map(async ({ channel, guarantee }) => section(channel, await guarantee())),
  );
  return `${[INTRODUCTION, ...sections].join("\n\n")}\n`;
}

function section(channel: ChannelDescriptor["channel"], guarantee: Guarantee): string {
  const faults = Object.keys(FAULTS) as GuaranteeFault[];
  const matrix = KINDS.map((kind) => row([KIND_NAMES[kind], ...faults.map((fault) => short(guarantee[kind][fault]))]));
  const cells = KINDS.flatMap((kind) =>
    faults.flatMap((fault) => {
      const cell = guarantee[kind][fault];
      return cell.holds === "does not apply" ? [] : [row([`\`${cellName(channel, kind, fault, cell)}\``, cell.by])];
    }),
  );
  return [
    `## ${channel}`,
    "",
    row(["", ...faults.map((fault) => FAULTS[fault])]),
    row(["---", ...faults.map(() => "---")]),
    ...matrix,
    "",
    ...reasons(KINDS.flatMap((kind) => faults.map((fault) => ({ kind, cell: guarantee[kind][fault] })))),
    "",
    row(["test", "by what"]),
    row(["---", "---"]),
    ...cells,
  ].join("\n");
}

function short(cell: GuaranteeCell): string {
  return cell.holds === "does not apply" ? "–" : cell.holds;
}

/** Why cells are empty: one line for each reason. */
function reasons(cells: readonly { readonly kind: GuaranteeKind; readonly cell: GuaranteeCell }[]): readonly string[] {
  const kinds = new Map<string, Set<string>>();
  for (const { kind, cell } of cells) {
    if (cell.holds !== "does not apply") continue;
    kinds.set(cell.because, (kinds.get(cell.because) ?? new Set()).add(KIND_NAMES[kind]));
  }
  return [...kinds].map(([because, names]) => `- – for ${[...names].join(", ")}: ${because}.`);
}
