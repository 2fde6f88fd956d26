import https, { type AgentOptions } from "node:https";

/**
 * For a client with an agent of its own: the proxies of the environment, which all other requests take by themselves (FC-322); empty
 * without one. What goes through a proxy is looked up by the proxy.
 */
export function throughProxies(): Pick<AgentOptions, "proxyEnv"> {
  const { proxyEnv } = https.globalAgent.options;
  return proxyEnv === undefined ? {} : { proxyEnv };
}
