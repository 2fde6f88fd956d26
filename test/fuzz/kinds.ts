import { fuzzCli, fuzzConfig, fuzzHttp, fuzzText, type InputFuzzReport } from "./inputs.ts";
import { fuzzMcp, fuzzModels } from "./streams.ts";

export type InputKind = "config" | "cli" | "http" | "text" | "models" | "mcp";

/** One run of each kind: the same for the same seed. */
export const INPUT_FUZZES: Readonly<Record<InputKind, (seed: number, inputs: number) => Promise<InputFuzzReport>>> = {
  config: fuzzConfig,
  cli: fuzzCli,
  http: fuzzHttp,
  text: fuzzText,
  models: fuzzModels,
  mcp: fuzzMcp,
};
