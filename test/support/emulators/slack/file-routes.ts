import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../body.ts";
import { parseBody, uploadedBytes } from "./body.ts";
import { answer } from "./http-answer.ts";
import { useResponseUrl } from "./interactions.ts";
import type { FileRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

/** The upload URL of a file: takes its bytes, whatever the encoding, if they are as many as announced. */
export async function takesUpload(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
  key: string,
): Promise<void> {
  const body = await readBody(incoming);
  const file = [...world.files.values()].find((entry) => entry.uploadKey === key);
  if (file === undefined || incoming.method !== "POST") return answer(response, 404, "404 - Not found");
  const bytes = uploadedBytes(incoming.headers["content-type"], body);
  if (bytes.length !== file.object.size) return answer(response, 400, "400 - Incomplete upload");
  file.bytes = bytes;
  answer(response, 200, `OK - ${bytes.length}`, { "content-type": "text/plain" });
}

function maySee(world: World, file: FileRecord, token: string | undefined): boolean {
  const app = token === undefined ? undefined : world.appByToken(token)?.app;
  if (app === undefined || app.tokenState !== "valid" || !app.scopes.has("files:read")) return false;
  if (file.appId === app.id) return true;
  return [...file.sharedIn].some((id) => world.conversations.get(id)?.members.has(app.user.id) === true);
}

/**
 * A file's private URL. Without a token that may see it, the platform shows its sign-in page with status 200: a
 * client that looks only at the status takes HTML for the file.
 */
export function servesFile(world: World, incoming: IncomingMessage, response: ServerResponse, url: URL): void {
  const [, , segment = "", ...rest] = url.pathname.split("/");
  const file = world.files.get(segment.replace(/^T-/, ""));
  const token = /^Bearer (.+)$/i.exec(incoming.headers.authorization ?? "")?.[1];
  const hop = Number(url.searchParams.get("hop") ?? 0);
  if (file?.bytes === null || file === undefined) answer(response, 404, "404 - Not found");
  else if (file.refusedWith !== null) answer(response, file.refusedWith, "refused");
  else if (!maySee(world, file, token)) {
    answer(response, 200, "<!DOCTYPE html><html>Sign in to Slack</html>", { "content-type": "text/html" });
  } else if (hop < file.redirects) {
    const location = `${world.origin}/files-pri/${segment}/${rest.join("/")}?hop=${hop + 1}`;
    response.writeHead(302, { location, "content-length": 0 });
    response.end();
  } else {
    response.writeHead(200, { "content-type": file.object.mimetype, "content-length": file.bytes.length });
    response.end(file.bytes);
  }
}

/** A POST to a response URL. */
export async function takesResponse(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
  key: string,
): Promise<void> {
  const raw = parseBody(incoming.headers["content-type"], await readBody(incoming), new URLSearchParams());
  try {
    useResponseUrl(world, key, raw);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answer(response, 404, { ok: false, error: error.error });
  }
  answer(response, 200, "ok", { "content-type": "text/html" });
}
