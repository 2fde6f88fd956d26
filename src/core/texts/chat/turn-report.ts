/** What `/verbose` and `/usage` add to an answer (CM-10). */
export const reportTexts = {
  earlierCalls: (count: number): string => `${count} earlier calls`,
  tokens: (input: string, output: string): string => `${input} tokens in, ${output} out`,
  estimated: (tokens: string): string => `${tokens} (estimated)`,
  cached: (tokens: string, cached: string): string => `${tokens}, ${cached} cached`,
  cost: (cost: string): string => `cost ${cost}`,
  context: (used: string, window: string, percent: number): string => `context ${used} of ${window} (${percent} %)`,
  steps: (steps: number, seconds: string): string => `${steps} ${steps === 1 ? "step" : "steps"} in ${seconds} s`,
};
