/** An MCP server over stdio that mangles what it says: `node mangling-server.ts <seed>`. */
import { createInterface } from "node:readline";
import { createMangler } from "./mcp-answers.ts";

const answers = createMangler(Number(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as { readonly id?: number; readonly method?: string };
  for (const answer of answers(request)) process.stdout.write(`${answer}\n`);
}
