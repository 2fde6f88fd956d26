import { type DocsScene, firstSnippet } from "./scene.ts";

/** One command of a page and what makes the scene ready for it; what it must print is on the page. */
export interface ShownCommand {
  readonly page: string;
  /** As on the page, but for the code of a pairing, which `code` gives. */
  readonly command: string;
  readonly before?: (scene: DocsScene) => Promise<void> | void;
  /** The pairing code of this person takes the place of the one on the page. */
  readonly code?: "Ann" | "Ben" | "Cem" | "Dora";
  /** Default 0. */
  readonly exit?: number;
}

const page =
  (name: string) =>
  (command: string, more: Omit<ShownCommand, "page" | "command"> = {}): ShownCommand => ({
    page: name,
    command,
    ...more,
  });
const letIn = page("docs/let-someone-in.md");
const telegram = page("docs/channels/telegram.md");
const slack = page("docs/channels/slack.md");
const bots = page("docs/several-bots.md");
const service = page("docs/run-as-a-service.md");
const proxy = page("docs/behind-a-reverse-proxy.md");
const backup = page("docs/back-up-and-restore.md");
const upgrade = page("docs/upgrade.md");
const metrics = page("docs/metrics.md");
const wrong = page("docs/when-something-goes-wrong.md");
const configuration = page("docs/configuration.md");
const readme = page("README.md");
const npmRun = (command: string) => `npm run switchyard -- ${command}`;

/** In the order in which one program can show them all: the later ones see what the earlier ones did. */
export const SHOWN_COMMANDS: readonly ShownCommand[] = [
  letIn("switchyard pairing list", { before: async (scene) => void (await scene.asks("Ben")) }),
  letIn("switchyard pairing approve telegram UC5ARQSE", { code: "Ben" }),
  letIn("switchyard pairing approve telegram UC5ARQSE --owner", { code: "Ann" }),
  letIn("switchyard pairing deny telegram UC5ARQSE", { code: "Cem" }),
  telegram("switchyard pairing approve telegram UC5ARQSE --owner", { code: "Dora" }),
  letIn("switchyard pairing list"),
  telegram("grep -o 'channels.telegram.groups does not list [-0-9]*' switchyard.log", {
    before: async (scene) => {
      await scene.writes("Ann", "list sessions");
      await scene.inGroup("team", "lunch?");
      await scene.inGroup("other", "hello @my_bot");
      scene.keepsLog();
    },
  }),
  slack("switchyard slack manifest > manifest.json"),
  slack("switchyard slack manifest --url https://bot.example.org/slack/events > manifest.json"),
  configuration("switchyard config check"),
  configuration("switchyard config check --config broken.json5", {
    before: (scene) => scene.writesFile("broken.json5", '{ agents: { defaults: { modle: "demo/switchyard" } } }'),
    exit: 1,
  }),
  bots("switchyard config check --config two-bots.json5", {
    before: (scene) => scene.writesFile("two-bots.json5", firstSnippet("docs/several-bots.md")),
  }),
  bots("switchyard status"),
  service("switchyard status"),
  service("switchyard start 2>&1 >/dev/null", { exit: 1 }),
  proxy("curl -s -H 'Host: 127.0.0.1:4180' -H 'Origin: https://bot.example.org' -d '' http://127.0.0.1:4180/web/"),
  proxy("curl -s -H 'Host: bot.example.org' http://127.0.0.1:4180/web/"),
  proxy("switchyard config check --config open.json5", {
    before: (scene) => scene.writesFile("open.json5", '{ http: { host: "0.0.0.0" } }'),
    exit: 1,
  }),
  metrics("curl -s http://127.0.0.1:4180/metrics | grep account_state"),
  metrics("curl -s http://127.0.0.1:4180/healthz"),
  wrong("switchyard doctor"),
  wrong("switchyard why telegram:100000001/1"),
  wrong("switchyard why telegram:-4000000001/1"),
  wrong("switchyard why telegram:100000001/4"),
  wrong("switchyard why telegram:-4000000001/999", { exit: 1 }),
  wrong("switchyard deliveries"),
  wrong("switchyard deliveries show 9"),
  wrong("switchyard deliveries --failed"),
  wrong("switchyard deliveries results"),
  readme(npmRun("doctor")),
  readme(npmRun("status")),
  readme(npmRun("sessions")),
  readme(npmRun("deliveries --failed")),
  readme(npmRun("deliveries show 9")),
  readme(npmRun("why telegram:100000001/4")),
  readme(npmRun("db backup")),
  backup("switchyard db backup"),
  backup("switchyard db backup copy.db"),
  backup("switchyard export agent:main:telegram:direct:100000001"),
  backup("switchyard forget telegram:100000002", { exit: 1 }),
  backup("switchyard forget telegram:100000002 --yes"),
  upgrade("switchyard db backup"),
  upgrade("switchyard config check"),
  upgrade("switchyard db migrate", { before: (scene) => scene.stop() }),
  backup("mkdir old && mv data/switchyard.db* old/"),
  backup("cp copy.db data/switchyard.db"),
  backup("switchyard doctor"),
];

/** What is shown but cannot run here, with the reason. */
export const NOT_RUN: readonly { readonly command: RegExp; readonly reason: string }[] = [
  {
    command: /^npm run (generate|check)$|^npx vitest run --config /,
    reason: "contributing.test.ts runs it in a copy of the repository",
  },
  {
    command: /^npm run (fuzz|mutations|audit:licences)$/,
    reason: "test/fuzz and test/audit run the same code; mutations take minutes",
  },
  { command: /^HTTPS_PROXY=\S+ npm start$/, reason: "needs a proxy; test/flows/proxies.test.ts runs with one" },
  { command: /^systemctl /, reason: "needs systemd and a service" },
  { command: /^journalctl /, reason: "needs systemd, and follows until it is ended" },
  { command: /^git pull && npm ci$/, reason: "needs a remote; CI runs npm ci" },
  {
    command: /^npm ci && npm (start|test)$/,
    reason: "the test of the guides runs npm start; CI runs npm ci && npm test",
  },
  {
    command: /^npm run switchyard -- pairing approve telegram <code> --owner$/,
    reason: "has a code to fill in; let-someone-in.md runs it",
  },
];
