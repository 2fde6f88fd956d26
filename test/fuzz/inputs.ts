import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { parseText } from "../../config/load/parse.ts";
import { ConfigError } from "../../src/core/errors.ts";
import { sanitise } from "../../src/core/text/sanitise.ts";
import { createStreamSanitiser } from "../../src/core/text/stream-sanitiser.ts";
import { random } from "../concurrency/random.ts";
import { cliScene } from "../support/cli-scene.ts";
import { watchLoop } from "../support/loop-watch.ts";
import { startSwitchyardProcess } from "../support/switchyard-process.ts";
import { testConfig } from "../support/test-settings.ts";
import { HOSTILE, mangled } from "./mutate.ts";

/** What one kind of input did; each fault names the number that shows it again. */
export interface InputFuzzReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

/** No input may compute for longer than this without letting anything else run (OP-15). */
export const BLOCK_MS = 50;

export async function repeated(
  inputs: number,
  one: (at: number) => Promise<string | null> | string | null,
): Promise<InputFuzzReport> {
  const startedAt = performance.now();
  const faults: string[] = [];
  for (let at = 0; at < inputs; at += 1) {
    const fault = await one(at);
    if (fault !== null) faults.push(`${at}: ${fault}`);
  }
  return { inputs, seconds: (performance.now() - startedAt) / 1000, faults };
}

/** A configuration file is read, or refused by faults that name a place: never another error, never a silent default. */
export function fuzzConfig(seed: number, inputs: number): Promise<InputFuzzReport> {
  const source = readFileSync(fileURLToPath(new URL("../../config/example.json5", import.meta.url)), "utf8");
  return repeated(inputs, (at) => {
    const text = mangled(source, "config", seed, at);
    try {
      testConfig(parseText(text, "switchyard.json5"));
      return null;
    } catch (error) {
      if (error instanceof ConfigError && error.faults.length > 0) return null;
      return `${(error as Error).stack?.slice(0, 400)}`;
    }
  });
}

const WORDS = [
  "status",
  "sessions",
  "history",
  "deliveries",
  "show",
  "why",
  "pairing",
  "list",
  "approve",
  "forget",
  "db",
];
const FLAGS = ["--json", "--failed", "--since", "--limit", "--help", "--", "--config", "-x"];
/** What a terminal would obey: everything below a space but the line's end and the tab, DEL, C1, bidi marks. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Any arguments end with 0, 1 or 2 and an answer, and nothing that a terminal obeys is printed. */
export async function fuzzCli(seed: number, inputs: number): Promise<InputFuzzReport> {
  const scene = cliScene();
  try {
    return await repeated(inputs, async (at) => {
      const chance = random("cli", seed, at);
      const any = [...WORDS, ...WORDS, ...FLAGS, ...HOSTILE];
      const args = Array.from({ length: 1 + chance.below(5) }, () => chance.pick(any) ?? "");
      const { exitCode, out, err } = await scene.run(...args);
      const said = `${out}${err}`;
      if (![0, 1, 2].includes(exitCode)) return `${JSON.stringify(args)} ended with ${exitCode}`;
      if (OBEYED.test(said)) return `${JSON.stringify(args)} printed what a terminal obeys`;
      if (exitCode !== 0 && said.trim() === "") return `${JSON.stringify(args)} failed without a word`;
      return null;
    });
  } finally {
    await scene.close();
  }
}

const REQUEST = [
  "POST /web/c/operator/messages HTTP/1.1",
  "Host: 127.0.0.1",
  "Content-Type: multipart/form-data; boundary=x",
  "Content-Length: 58",
  "",
  '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhi\r\n--x--',
].join("\r\n");

/** Mangled requests in raw bytes: the server answers the next good one each time. */
export async function fuzzHttp(seed: number, inputs: number): Promise<InputFuzzReport> {
  const program = await startSwitchyardProcess({
    config: { agents: { defaults: { model: "demo/switchyard" } }, channels: { web: { enabled: true } } },
  });
  try {
    const port = Number(new URL(program.url).port);
    const health = new URL("/healthz", program.url);
    return await repeated(inputs, async (at) => {
      await sendRaw(port, mangled(REQUEST, "http", seed, at));
      if (at % 10 !== 9) return null;
      const answer = await fetch(health).catch((error: unknown) => error as Error);
      return answer instanceof Response && answer.status === 200 ? null : `no health: ${String(answer)}`;
    });
  } finally {
    await program.kill();
    await program.remove();
  }
}

function sendRaw(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setTimeout(300, () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.resume();
  });
}

const PIECES = [
  "Hello **you**",
  "```js\nlet a;\n```\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n",
  "[x](http://a)",
  "<think>no</think>",
  "标题：**内容**",
];
/** A model's text in random deltas: what is shown while it arrives is what is shown of the whole, within the time of a block. */
export function fuzzText(seed: number, inputs: number): Promise<InputFuzzReport> {
  return repeated(inputs, async (at) => {
    const chance = random("text", seed, at);
    const parts = Array.from({ length: 1 + chance.below(40) }, () => chance.pick([...PIECES, ...HOSTILE]) ?? "");
    using watch = watchLoop();
    const stream = createStreamSanitiser();
    for (const part of parts) stream.push(part);
    const [streamed, whole] = [stream.end(), sanitise(parts.join("")).text];
    if (streamed !== whole) return `the stream ended as ${JSON.stringify(streamed.slice(0, 80))}`;
    return watch.longestMs() > BLOCK_MS ? `computed for ${Math.round(watch.longestMs())} ms` : null;
  });
}
