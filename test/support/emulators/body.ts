import type { IncomingMessage } from "node:http";

export interface UploadedFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** Reads a request's body to its end. Rejects when the client goes away first. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
