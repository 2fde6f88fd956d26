import { expect, test } from "vitest";
import { startModelEmulator } from "../support/emulators/model/index.ts";
import { discordPlatform } from "../support/platforms/discord.ts";
import { slackPlatform } from "../support/platforms/slack.ts";
import { telegramPlatform } from "../support/platforms/telegram.ts";
import { startTestBridge } from "../support/test-bridge.ts";
import { CERTIFICATE, openInternet } from "../support/tls-internet.ts";

test.each(["HTTPS_PROXY", "https_proxy"])(
  "FC-322: with %s alone the model and every platform's client, its socket too, go through the proxy",
  async (variable) => {
    const platforms = [await discordPlatform(), await slackPlatform(), await telegramPlatform()];
    const model = await startModelEmulator();
    const origins = Object.fromEntries(
      platforms.map(({ name, config }) => [`${name}.test`, new URL(String(config.apiUrl ?? config.apiRoot)).origin]),
    );
    const internet = await openInternet({ ...origins, "model.test": new URL(model.url).origin });
    const far = (config: unknown): Record<string, unknown> =>
      JSON.parse(
        Object.entries(origins).reduce(
          (text, [name, origin]) => text.replaceAll(origin, `https://${name}`),
          JSON.stringify(config),
        ),
      );
    try {
      await using bridge = await startTestBridge({
        telegram: false,
        start: { env: { [variable]: internet.proxy, NODE_EXTRA_CA_CERTS: CERTIFICATE } },
        config: {
          models: {
            providers: { far: { type: "openai-compatible", baseUrl: "https://model.test/v1", apiKey: "none" } },
          },
          agents: { defaults: { model: "far/small" } },
          channels: Object.fromEntries(platforms.map(({ name, config }) => [name, far(config)])),
        },
      });
      for (const platform of platforms) await platform.ready(bridge);
      for (const platform of platforms) {
        const direct = platform.direct();
        await direct.says(`through the proxy on ${platform.name}`);
        await direct.hears(new RegExp(`through the proxy on ${platform.name}`));
      }
      expect(new Set(internet.tunnels)).toEqual(new Set([...Object.keys(origins), "model.test"]));
      expect(internet.plain).toEqual([]);
    } finally {
      for (const platform of platforms) await platform.stop();
      await model.close();
      internet.close();
    }
  },
);
