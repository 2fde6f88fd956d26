import { z } from "zod";
import { parseSessionKey } from "../../core/session/session-key.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { EXPORT_FORMATS, exportTranscript } from "../../sessions/export.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/**
 * `/export [html|md|jsonl]`: this session's transcript as a file in this conversation. In a group it holds what was said there and
 * no tool calls; a session that other conversations share does not go into one.
 */
export const exportCommand = defineCommand({
  name: "export",
  group: "session",
  summary: sessionTexts.export.summary,
  arguments: [{ name: "format", description: sessionTexts.export.format, choices: EXPORT_FORMATS }],
  input: z.object({ format: z.enum(EXPORT_FORMATS).default("md") }),
  role: "owner",
  execute: async ({ format }, context) => {
    const { session } = await ownSession(context);
    const { services, inGroup } = context;
    if (inGroup && isShared(session.key)) {
      return { text: sessionTexts.export.shared, private: true };
    }
    const file = await exportTranscript(
      services.store,
      { session, sessionId: session.sessionId },
      { format, includeTools: !inGroup, secrets: services.settings.secrets, now: services.clock.now() },
    );
    const bytes = Buffer.from(file.text, "utf8");
    const { maxBytes } = services.settings.media;
    if (bytes.length > maxBytes) {
      return { text: sessionTexts.export.tooLarge(bytes.length), private: true };
    }
    const text = sessionTexts.export.done(file.messages);
    return { text, file: { name: file.name, mime: file.mime, bytes } };
  },
});

function isShared(key: string): boolean {
  const kind = parseSessionKey(key)?.kind;
  return kind === "main" || kind === "direct";
}
