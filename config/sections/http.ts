import { z } from "zod";
import type { Settings } from "../../src/core/settings.ts";
import { tokenMissing } from "../../src/core/texts/config/sections.ts";
import type { Findings } from "../load/findings.ts";
import { filledText } from "./values.ts";

export const httpSchema = z.strictObject({
  host: filledText.optional(),
  port: z.int().min(0).max(65_535).optional(),
  token: z.string().min(8).optional(),
});
type HttpSection = z.infer<typeof httpSchema>;

/** OP-6: nobody reaches the page from another machine without a token. */
export function normaliseHttp(section: HttpSection | undefined, findings: Findings): Settings["http"] {
  const host = section?.host ?? "127.0.0.1";
  const token = section?.token ?? null;
  if (!isLoopback(host) && token === null) {
    findings.fault(["http", "token"], tokenMissing(host));
  }
  return { host, port: section?.port ?? 4180, token };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
