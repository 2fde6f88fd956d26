import { type DemoRequest, textOf } from "./reply.ts";

/** What the demo model says of the files that came with the last messages, or null when there are none. */
export function aboutFiles({ messages }: DemoRequest): string | null {
  const last = messages.slice(messages.findLastIndex((message) => message.role !== "user") + 1);
  const files = last.flatMap((message) =>
    [...textOf(message).matchAll(/^\[Attachment (.+)\]$/gm)].map(([, described = ""]) => described),
  );
  if (files.length === 0) return null;
  const kept = files.flatMap((file) => /^(.+), \S+, \d+ bytes$/.exec(file)?.[1] ?? []);
  const others = files.filter((file) => !/, \d+ bytes$/.test(file));
  const lines = [
    kept.length === 0 ? "" : `I got ${kept.join(" and ")}. A demo model cannot look into files; a real model can.`,
    ...others.map((other) => `I did not get a file: ${other}`),
  ];
  return lines.filter((line) => line !== "").join("\n");
}
