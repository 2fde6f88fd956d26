import type { ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Renderer } from "../../src/channel/capabilities.ts";
import type { AdapterHttp } from "../../src/channel/descriptor.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { createWebAdapter } from "./adapter.ts";
import { renderWeb } from "./render.ts";

/** A page has no limit of its own; this one keeps a single message readable and quick to draw (DL-6). */
const MAX_LENGTH = 50_000;

export const webRenderer: Renderer = {
  maxLength: MAX_LENGTH,
  render(nodes) {
    const { html, plain, length } = renderWeb(nodes);
    return { rich: html, plain, length };
  },
};

export async function create(account: AccountSettings, _http: AdapterHttp): Promise<ChannelAdapter> {
  return createWebAdapter(account.accountId, webRenderer);
}
