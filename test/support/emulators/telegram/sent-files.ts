import type { TelegramMessage } from "@gramio/types/objects";
import { asDocument, asPhoto } from "./methods/media.ts";
import type { World } from "./world.ts";

export interface SentFile {
  name: string;
  bytes: Uint8Array | string;
  mimeType?: string;
  /** Default: photo for .png, .jpg, .jpeg and .webp, else document. */
  as?: "photo" | "document" | "voice" | "audio" | "video";
}

type Media = Pick<TelegramMessage, "photo" | "document" | "voice" | "audio" | "video">;

/** Stores a file a person sends and gives the message field that shows it. */
export function sentMedia(world: World, file: SentFile): Media {
  const kind = file.as ?? (/\.(png|jpe?g|webp)$/i.test(file.name) ? "photo" : "document");
  const bytes = typeof file.bytes === "string" ? Buffer.from(file.bytes) : file.bytes;
  const stored = world.addFile(file.name, file.mimeType ?? "application/octet-stream", bytes, `${kind}s`);
  const base = { ...asDocument(stored), duration: 3 };
  switch (kind) {
    case "photo":
      return { photo: asPhoto(stored) };
    case "document":
      return { document: asDocument(stored) };
    case "voice":
      return { voice: base };
    case "audio":
      return { audio: base };
    case "video":
      return { video: { ...base, width: 640, height: 360 } };
  }
}
