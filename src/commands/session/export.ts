import { z } from "zod";
import { parseSessionKey } from "../../core/session/session-key.ts";
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
  summary: "This session's transcript as a file",
  arguments: [{ name: "format", description: "the file's form; default md", choices: EXPORT_FORMATS }],
  input: z.object({ format: z.enum(EXPORT_FORMATS).default("md") }),
  role: "owner",
  execute: async ({ format }, context) => {
    const { session } = await ownSession(context);
    const { services, inGroup } = context;
    if (inGroup && isShared(session.key)) {
      const text =
        "This session holds other conversations too. Export it from a direct one, or with `switchyard export`.";
      return { text, private: true };
    }
    const file = await exportTranscript(
      services.store,
      { session, sessionId: session.sessionId },
      { format, includeTools: !inGroup, secrets: services.settings.secrets, now: services.clock.now() },
    );
    const bytes = Buffer.from(file.text, "utf8");
    const { maxBytes } = services.settings.media;
    if (bytes.length > maxBytes) {
      const text = `The transcript has ${bytes.length} bytes, more than media.maxBytes; \`switchyard export\` writes it to a file.`;
      return { text, private: true };
    }
    const text = `Transcript: ${file.messages} ${file.messages === 1 ? "message" : "messages"}.`;
    return { text, file: { name: file.name, mime: file.mime, bytes } };
  },
});

function isShared(key: string): boolean {
  const kind = parseSessionKey(key)?.kind;
  return kind === "main" || kind === "direct";
}
