export const HINT =
  'I am Switchyard\'s built-in demo model and only follow a few plain requests. Try: "spawn a sub-agent to count to three and report", "list sessions", "status", "slowly count to 20", "show markdown".';

export const INTRODUCTION = [
  "I am Switchyard's built-in demo model: no artificial intelligence, just a list of plain requests, for which I make the real tool calls. You can write:",
  "",
  "- spawn a sub-agent to count to three and report (also: … in a thread; … and wait; spawn three sub-agents to …)",
  "- list sessions, list agents, list sub-agents, status",
  "- read history of current, send 'hello' to <session key>, ask <session key> <question>",
  "- tell the sub-agent to …, stop the sub-agent, stop all sub-agents",
  "- count to 10, slowly count to 20, write a long text, show markdown, say nothing",
  "- remember that …, what do you remember, what did I say before",
].join("\n");

export const MARKDOWN_SAMPLE = [
  "# Markdown sample",
  "",
  "Some **bold**, *italic*, ~~struck~~ words, `inline code` and a [link](https://example.com).",
  "",
  "1. first",
  "2. second",
  "   - nested",
  "",
  "| Fruit | Price |",
  "| --- | ---: |",
  "| Apple | 1.20 |",
  "| Pear | 0.90 |",
  "",
  "> A quotation.",
  "",
  "```js",
  'console.log("Hello from the demo model");',
  "```",
].join("\n");

const SENTENCES: readonly string[] = [
  "A switchyard is where trains are taken apart and put together again.",
  "Each wagon knows where it wants to go, and the yard sees to it that it gets there.",
  "Nothing is lost on the way, because every wagon is written down before it moves.",
  "When the light goes out in the middle of the night, the list tells where everything stood.",
  "In the morning the work goes on from there as if nothing had happened.",
];

export const LONG_TEXT = Array.from({ length: 12 }, (_unused, at) => {
  const rotated = [...SENTENCES.slice(at % SENTENCES.length), ...SENTENCES.slice(0, at % SENTENCES.length)];
  return `${at + 1}. ${rotated.join(" ")}`;
}).join("\n\n");
