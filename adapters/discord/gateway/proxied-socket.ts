import { Agent } from "node:https";
import { createRequire } from "node:module";
import { throughProxies } from "../../../src/channel/proxies.ts";

/**
 * Sends discord.js's gateway through the proxies of the environment (FC-322): its `ws` takes none by itself, and the library gives it no
 * agent. Without proxies nothing is changed. Must run before discord.js is loaded, which takes the class at that moment.
 */
export function proxyGateway(): void {
  const proxies = throughProxies();
  if (proxies.proxyEnv === undefined) return;
  const agent = new Agent(proxies);
  const fromLibrary = createRequire(createRequire(import.meta.url).resolve("discord.js"));
  const sockets: typeof import("ws") = createRequire(fromLibrary.resolve("@discordjs/ws"))("ws");
  sockets.WebSocket = new Proxy(sockets.WebSocket, {
    construct: (Plain, [address, protocols, options]) =>
      new Plain(address, protocols, String(address).startsWith("wss:") ? { ...options, agent } : options),
  });
}
