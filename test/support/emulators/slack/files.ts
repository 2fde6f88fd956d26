import { extname } from "node:path";
import type { FileRecord } from "./records.ts";
import type { World } from "./world.ts";

export interface NewFile {
  name: string;
  /** Null: still to be uploaded. */
  bytes: Buffer | null;
  size: number;
  owner: string;
  mimeType?: string;
}

const MIME_TYPES: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".mp4": "video/mp4",
  ".m4a": "audio/mp4",
};

/** Makes a file. Its private URL is on the emulator and wants the bearer token of an app that may see it. */
export function newFile(world: World, { name, bytes, size, owner, mimeType }: NewFile): FileRecord {
  const id = world.newId("F");
  const extension = extname(name).toLowerCase();
  const url = `${world.origin}/files-pri/T-${id}/${encodeURIComponent(name)}`;
  const record: FileRecord = {
    object: {
      id,
      created: world.seconds(),
      name,
      title: name,
      mimetype: mimeType ?? MIME_TYPES[extension] ?? "application/octet-stream",
      filetype: extension === "" ? "binary" : extension.slice(1),
      user: owner,
      size,
      mode: "hosted",
      is_external: false,
      url_private: url,
      url_private_download: url.replace(`/T-${id}/`, `/T-${id}/download/`),
      permalink: `https://emulated.slack.com/files/${owner}/${id}/${encodeURIComponent(name)}`,
    },
    bytes,
    appId: null,
    uploadKey: `${id}-${world.count("client")}`,
    completed: bytes !== null,
    sharedIn: new Set(),
    redirects: 0,
    refusedWith: null,
  };
  world.files.set(id, record);
  return record;
}
