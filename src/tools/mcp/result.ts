import { type ToolResult, toolError } from "../../core/errors.ts";
import { cutMiddle } from "../../core/text/cut.ts";
import { escapeMarkers } from "../../core/text/markers.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";
import { isObject } from "./adapt.ts";

/** Below TN-17's 32 KiB, so that a long text is cut inside and the result stays readable JSON. */
const MAX_TEXT_BYTES = 28 * 1024;

/**
 * A server's answer as a tool result (ST-42, ST-43): its texts joined; what is not text is named with its type and size.
 * `mask` takes configured secrets out. A tool's own failure is an error the model can act on. Pure; takes any JSON.
 */
export function resultOf(answer: unknown, mask: (text: string) => string): ToolResult {
  if (!isObject(answer)) return toolError(serverTexts.unreadable);
  const blocks = Array.isArray(answer.content) ? answer.content : [];
  const structured = answer.structuredContent;
  const said =
    blocks.length > 0 || structured === undefined ? blocks.map(blockText).join("\n") : JSON.stringify(structured);
  const { text, truncated } = cutMiddle(escapeMarkers(mask(said)), MAX_TEXT_BYTES);
  if (answer.isError === true) return toolError(text === "" ? serverTexts.failed : text);
  return truncated ? { status: "ok", truncated, text } : { status: "ok", text };
}

function blockText(block: unknown): string {
  if (!isObject(block)) return serverTexts.unreadableBlock;
  switch (block.type) {
    case "text":
      return wordOf(block.text);
    case "image":
    case "audio":
      return serverTexts.media(block.type, wordOf(block.mimeType), base64Size(block.data));
    case "resource_link":
      return serverTexts.link(wordOf(block.uri), wordOf(block.mimeType));
    case "resource":
      return resourceText(isObject(block.resource) ? block.resource : {});
    default:
      return serverTexts.otherContent(wordOf(block.type).slice(0, 64) || "unknown");
  }
}

function resourceText(resource: Readonly<Record<string, unknown>>): string {
  const name = serverTexts.resource(wordOf(resource.uri));
  if (typeof resource.text === "string") return `[${name}]\n${resource.text}`;
  return serverTexts.blob(name, wordOf(resource.mimeType), base64Size(resource.blob));
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function base64Size(data: unknown): string {
  return `${Math.floor((wordOf(data).length * 3) / 4)} bytes`;
}
