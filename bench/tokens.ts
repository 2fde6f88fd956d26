/**
 * How many tokens a model reads when nothing has happened yet (the first message of a person: prompt, tool definitions, the message),
 * and in each tool's result, as its page shows it. Prints a table; `--write` makes it the baseline (`bench/tokens.json`), from
 * which CI allows 5 % of growth (FC-234). Counted with OpenAI's o200k tokens; other vendors' counts differ by some percent.
 *
 *   node bench/tokens.ts [--write]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { TOOL_EXAMPLES } from "../docs/generate/tool-examples.ts";
import { type ChatRequest, messageText, say } from "../test/support/emulators/model/index.ts";
import { startTestBridge } from "../test/support/test-bridge.ts";
import { closeScenes, resultOf } from "../test/unit/tools/example-stage.ts";

export type TokenFigures = Readonly<Record<string, number>>;
const BASELINE = fileURLToPath(new URL("tokens.json", import.meta.url));

export function tokenBaseline(): TokenFigures {
  return JSON.parse(readFileSync(BASELINE, "utf8")) as TokenFigures;
}

/** The parts of a request, as a server's chat template reads them. */
export function turnFigures({ messages, tools = [] }: ChatRequest): TokenFigures {
  const of = (role: string): number =>
    messages
      .filter((message) => message.role === role)
      .reduce((sum, message) => sum + countTokens(messageText(message)), 0);
  const figures = {
    "empty turn: prompt": of("system"),
    "empty turn: tool definitions": countTokens(JSON.stringify(tools)),
    "empty turn: the message": of("user"),
  };
  return { ...figures, "empty turn": Object.values(figures).reduce((sum, one) => sum + one, 0) };
}

export async function resultFigures(): Promise<TokenFigures> {
  const figures: Record<string, number> = {};
  for (const [tool, { examples }] of TOOL_EXAMPLES) {
    for (const example of examples) {
      figures[`${tool}: ${example.title}`] = countTokens(JSON.stringify(await resultOf(tool, example)));
    }
  }
  await closeScenes();
  return figures;
}

async function measure(): Promise<TokenFigures> {
  await using bridge = await startTestBridge({ model: () => say("Hello.") });
  bridge.ann.dm(bridge.bot).says("Hi");
  await bridge.ann.dm(bridge.bot).botSays({ matching: "Hello." });
  const [request] = bridge.model.requests;
  if (request === undefined) throw new Error("no request came");
  return { ...turnFigures(request), ...(await resultFigures()) };
}

if (import.meta.main) {
  const figures = await measure();
  const lines = Object.entries(figures).map(([name, tokens]) => `| ${name} | ${tokens} |`);
  console.log(["| what a model reads | tokens |", "|---|---:|", ...lines].join("\n"));
  if (process.argv.includes("--write")) writeFileSync(BASELINE, `${JSON.stringify(figures, null, 2)}\n`);
}
