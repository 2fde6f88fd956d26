import { z } from "zod";

/** The web page has no keys of its own: its address and its token are those of the HTTP server (CH-4). */
export const webOwnShape = {};
export const webOwnSchema = z.strictObject(webOwnShape);
export type WebConfig = z.infer<typeof webOwnSchema>;
