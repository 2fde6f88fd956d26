import http from "node:http";
import { proxyInvalid, proxyUnsupported } from "../core/texts/cli/answers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What runs on this machine is reached directly, whatever NO_PROXY says: a model server, the page, a local platform server. */
const OWN_MACHINE = "localhost,127.0.0.1,::1,[::1]";

/**
 * Sends requests through HTTP_PROXY and HTTPS_PROXY, except to NO_PROXY (FC-322). Resolves to what keeps it from doing so,
 * null when nothing does.
 */
export function useProxies(env: Environment): string | null {
  const given = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => {
    const value = env[name.toLowerCase()] || env[name];
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
  if (given.length === 0) return null;
  const invalid = given.find(({ value }) => !/^https?:$/.test(URL.parse(value)?.protocol ?? ""));
  if (invalid !== undefined) return proxyInvalid(invalid.name);
  if (typeof http.setGlobalProxyFromEnv !== "function") return proxyUnsupported(process.versions.node);
  const direct = [env.no_proxy || env.NO_PROXY, OWN_MACHINE].filter(Boolean).join(",");
  http.setGlobalProxyFromEnv({
    ...Object.fromEntries(given.map(({ name, value }) => [name, value])),
    NO_PROXY: direct,
  });
  return null;
}
