import { z } from "zod";
import { type EventStory, findMessage } from "../store/reads/find-event.ts";
import { defineCommand } from "./command.ts";

/** `/why <link>`: what became of a message, and by which rule (IN-17, CM-8). */
export const why = defineCommand({
  name: "why",
  group: "administration",
  summary: "What became of a message, and by which rule",
  arguments: [{ name: "message", description: "its link, or its event id from the log", required: true }],
  input: z.object({ message: z.string() }),
  role: "owner",
  execute: async ({ message }, { services }) => {
    const events = await findMessage(services.store, message);
    if (events.length === 0) {
      const text =
        "Nothing is known of that message. Events are kept for 7 days; give the link as the platform copies it.";
      return { text, private: true };
    }
    return { text: events.map(story).join("\n\n"), private: true };
  },
});

function story(event: EventStory): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ["Became", `${event.result}, by: ${event.rule}`],
    ["Received", `${new Date(event.receivedAt).toISOString().replace("T", " ").slice(0, 19)} UTC`],
    ["Session", event.sessionKey === null ? null : `\`${event.sessionKey}\``],
    ["Input", event.inputState],
    ["Turn", event.turnId === null ? null : `\`${event.turnId}\`, ${event.turnOutcome ?? "not ended"}`],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [`- **${label}:** ${value}`])).join("\n");
}
