import { readFile } from "node:fs/promises";
import { channels } from "../../adapters/index.ts";
import type { Renderer } from "../../src/channel/capabilities.ts";
import type { RenderedPiece } from "../../src/core/delivery/delivery.ts";
import { escapeHtml } from "../../src/core/text/plain-text.ts";
import { type PreparedAnswer, prepareAnswer } from "../../src/delivery/way-out.ts";
import { testSettings } from "../support/test-settings.ts";
import { MESSY_ANSWERS, type MessyAnswer } from "./answers.ts";
import { drawDiscord } from "./draw-discord.ts";
import { drawSlack } from "./draw-slack.ts";
import { drawTelegram } from "./draw-telegram.ts";

/** Of an answer of many messages the first and the last are drawn. */
const DRAWN_FIRST = 2;
/** A run without a space is drawn shorter; what is sent is whole. */
const LONGEST_RUN = 400;

const ACCOUNTS = {
  discord: { token: `${Buffer.from("1234567890").toString("base64url")}.for-drawing-only.${"x".repeat(27)}` },
  slack: { botToken: "xoxb-1", appToken: "xapp-1" },
  telegram: { botToken: "1:x" },
  web: {},
};
type Platform = keyof typeof ACCOUNTS;

const DRAWINGS: Readonly<Record<Platform, (payload: string) => string>> = {
  discord: drawDiscord,
  slack: drawSlack,
  telegram: drawTelegram,
  web: (payload) => `<div class="message agent"><div class="body" dir="auto">${payload}</div></div>`,
};

export interface Picture {
  readonly platform: Platform;
  readonly answer: MessyAnswer;
  readonly prepared: Extract<PreparedAnswer, { kind: "pieces" }>;
  /** One for each message, as the platform draws it. */
  readonly drawn: readonly string[];
}

/** Every answer through the one way out and the renderer of every platform. */
export async function pictures(): Promise<readonly Picture[]> {
  const settings = testSettings({ channels: ACCOUNTS });
  const renderers = new Map<Platform, Renderer>();
  for (const platform of Object.keys(ACCOUNTS) as Platform[]) {
    const account = settings.accounts.find((one) => one.channel === platform);
    const descriptor = channels.find((one) => one.channel === platform);
    if (account === undefined || descriptor === undefined) throw new Error(`${platform} is not configured`);
    renderers.set(platform, (await descriptor.create(account)).renderer);
  }
  return MESSY_ANSWERS.flatMap((answer) =>
    [...renderers].map(([platform, renderer]) => {
      const { maxChunks } = settings.delivery;
      const prepared = prepareAnswer({ text: answer.source, renderer, maxChunks });
      if (prepared.kind === "silent") throw new Error(`${answer.name} says nothing`);
      const drawn = prepared.pieces.map(({ rich }) => DRAWINGS[platform](rich));
      return { platform, answer, prepared, drawn };
    }),
  );
}

/** The page of pictures: what each platform is sent, drawn as it draws it. */
export async function picturePage(all: readonly Picture[]): Promise<string> {
  const css = (name: string) => readFile(new URL(`../../adapters/web/static/${name}`, import.meta.url), "utf8");
  const [root = ""] = (await css("chat.css")).match(/^:root \{[\s\S]*?\n\}/) ?? [];
  const styles = [root, await css("messages.css"), await css("code.css"), STYLE].join("\n");
  const sections = MESSY_ANSWERS.map((answer, index) => {
    const columns = all.filter((one) => one.answer === answer).map(column);
    return `<section id="a${index + 1}">
<h2>${index + 1}. ${escapeHtml(answer.name)}</h2>
<details><summary>What the model wrote</summary><pre>${shortened(escapeHtml(shortSource(answer.source)))}</pre></details>
<div class="platforms">
${columns.join("\n")}
</div>
</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What people see of messy answers</title>
<style>
${styles}
</style>
</head>
<body>
<h1>What people see of messy answers</h1>
<p>Made by <code>npm run pictures</code> from the renderers of the adapters. Each column shows what Switchyard sends, drawn as the platform describes its format. It is a drawing, not the platform's own program.</p>
${sections.join("\n")}
</body>
</html>
`;
}

function column({ platform, prepared, drawn }: Picture): string {
  const { pieces, overflow } = prepared;
  const last = pieces.length - 1;
  const shown = pieces.map((piece, index) => {
    if (index >= DRAWN_FIRST && index !== last)
      return index === last - 1 ? `<p class="more">${last - DRAWN_FIRST} more</p>` : "";
    return `${shortened(drawn[index] ?? "")}${sent(piece)}`;
  });
  const file = overflow === null ? "" : `<p class="more">📄 ${overflow.name}, ${overflow.text.length} characters</p>`;
  const count = pieces.length === 1 ? "1 message" : `${pieces.length} messages`;
  return `<article class="${platform}"><h3>${platform} <small>${count}</small></h3>${shown.join("\n")}${file}</article>`;
}

function sent({ rich }: RenderedPiece): string {
  return `<details><summary>${rich.length} units sent</summary><pre>${shortened(escapeHtml(shortSource(rich)))}</pre></details>`;
}

const SOURCE_SHOWN = 1500;

function shortSource(text: string): string {
  return text.length <= SOURCE_SHOWN ? text : `${text.slice(0, SOURCE_SHOWN / 2)}\n⋯\n${text.slice(-SOURCE_SHOWN / 2)}`;
}

function shortened(html: string): string {
  return html.replace(new RegExp(`[^\\s<>&"]{${LONGEST_RUN},}`, "g"), (run) => {
    return `${run.slice(0, LONGEST_RUN / 2)} ⋯ ${run.length - LONGEST_RUN} characters ⋯ ${run.slice(-LONGEST_RUN / 2)}`;
  });
}

const STYLE = `
body { margin: 0 auto; padding: 1rem; max-width: 110rem; background: var(--back); color: var(--ink); }
.platforms { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; align-items: start; }
article { background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.8rem; min-width: 0; overflow: hidden; }
h3 { margin: 0 0 0.5rem; text-transform: capitalize; font-size: 1rem; }
h3 small, .more, details { color: var(--soft); font-weight: 400; font-size: 0.82rem; }
details pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunken); padding: 0.5rem; max-height: 20rem; overflow: auto; }
.chat { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.4; }
.chat + .chat, details + .chat, details + .message { margin-top: 0.6rem; border-top: 1px dashed var(--line); padding-top: 0.6rem; }
.chat pre { background: var(--sunken); padding: 0.5rem; border-radius: 0.4rem; margin: 0.2rem 0; overflow-x: auto; white-space: pre; font: 0.85em ui-monospace, monospace; }
.slack .chat pre, .telegram .chat pre, .discord .chat pre { white-space: pre-wrap; }
.chat code { background: var(--sunken); border-radius: 0.3rem; padding: 0 0.25em; font: 0.88em ui-monospace, monospace; }
.chat blockquote { margin: 0.15rem 0; border-left: 3px solid var(--line); padding-left: 0.6rem; }
.chat mark { background: var(--own); color: inherit; border-radius: 0.2rem; }
.chat small { display: block; color: var(--soft); }
.chat .spoiler { background: var(--sunken); border-radius: 0.2rem; outline: 1px dotted var(--soft); }
.h1 { font-size: 1.35em; font-weight: 700; } .h2 { font-size: 1.2em; font-weight: 700; } .h3 { font-size: 1.08em; font-weight: 700; }
.item { display: flex; gap: 0.4em; } .item > :first-child { flex: none; } .item[data-level="1"] { margin-left: 1.4em; } .item[data-level="2"] { margin-left: 2.8em; } .item[data-level="3"] { margin-left: 4.2em; }
`;
