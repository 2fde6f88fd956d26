import { askSwitchyard } from "./run-switchyard.ts";
import type { TestBridge } from "./test-bridge.ts";

/** CH-5: how long a reason may take to show, and how long an account may take to be back after its cause is gone. */
const SHOWN_MS = 5_000;
const BACK_MS = 10_000;
const PATIENCE_MS = 30_000;
/** Generous for one round of looking. */
const LOOK_MS = 500;

/** One account of the running bridge, and the conversation in which it is talked to. */
export interface Talk {
  /** As the surfaces name it: `discord/second`. */
  readonly account: string;
  says(text: string): void;
  hears(text: string, withinMs: number): Promise<unknown>;
}

export interface Cause {
  readonly name: string;
  /** What the surfaces show while it lasts; left out where it passes by itself at once. */
  readonly shows?: RegExp;
  /** The time runs from its return. */
  begin(): unknown;
  /** Takes the cause away. Left out where it is gone with the connection it broke. */
  end?(): unknown;
}

/** One cause, and the account it happens to. */
export interface Case {
  readonly talk: Talk;
  readonly cause: Cause;
  /** What the account's bot has said, in order. */
  said(): readonly string[];
}

/** A platform with one account per cause: they are broken beside each other. */
export interface BrokenPlatform {
  readonly cases: readonly Case[];
  /** The platform's section of the configuration. */
  readonly section: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

export interface Endured {
  /** Milliseconds from the beginning of the cause until each surface was asked and showed it. */
  readonly shown: Readonly<Record<string, number>>;
  /** Milliseconds from the end of the cause until what was said meanwhile was answered. */
  readonly backMs: number;
  readonly stalledMs: number;
  /** The log's lines on this account's state since the cause began. */
  readonly logged: readonly string[];
}

interface Look {
  readonly askedAt: number;
  readonly answeredAt: number;
  /** What it says of each account. */
  readonly lines: ReadonlyMap<string, string>;
}

/** The three places where people see how accounts do (CH-5), asked all the time. */
export interface Surfaces extends AsyncDisposable {
  /** When each was asked that showed this first, in milliseconds after `since`. Rejects when one does not. */
  showing(account: string, pattern: RegExp, since: number): Promise<Record<string, number>>;
  /** Milliseconds since then in which the machine was too busy for anybody: a look at `/healthz` takes a few otherwise. */
  stalledMs(since: number): number;
}

export function watchSurfaces(bridge: TestBridge): Surfaces {
  const looks = new Map<string, Look[]>();
  let over = false;
  const loops = [
    loop("/healthz", 200, () => healthz(bridge)),
    loop("/status", 300, () => statusCommand(bridge)),
    loop("switchyard status", 300, () => commandLine(bridge)),
  ];

  async function loop(surface: string, pauseMs: number, ask: () => Promise<ReadonlyMap<string, string>>) {
    const mine: Look[] = [];
    looks.set(surface, mine);
    while (!over) {
      const askedAt = Date.now();
      const lines = await ask();
      mine.push({ askedAt, answeredAt: Date.now(), lines });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  return {
    stalledMs(since) {
      const mine = (looks.get("/healthz") ?? []).filter(({ answeredAt }) => answeredAt > since);
      return mine.reduce((sum, { askedAt, answeredAt }, index) => {
        const before = Math.max(since, mine[index - 1]?.answeredAt ?? askedAt);
        return sum + Math.max(0, answeredAt - before - LOOK_MS);
      }, 0);
    },
    async showing(account, pattern, since) {
      const found: Record<string, number> = {};
      for (const [surface, mine] of looks) {
        const first = () =>
          mine.find(({ askedAt, lines }) => askedAt >= since - 1_500 && pattern.test(lines.get(account) ?? ""));
        for (const until = Date.now() + PATIENCE_MS; first() === undefined && Date.now() < until; )
          await new Promise((resolve) => setTimeout(resolve, 50));
        const look = first();
        if (look === undefined) {
          const last = mine.slice(-5).map(({ lines }) => lines.get(account));
          throw new Error(`${surface} does not show ${pattern} for ${account}, but ${JSON.stringify(last)}`);
        }
        found[surface] = look.askedAt - since;
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      over = true;
      await Promise.allSettled(loops);
    },
  };
}

interface ShownAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly state?: string;
  readonly lastError?: string | null;
  readonly health?: { readonly state: string; readonly lastError: string | null };
}

function linesOf(accounts: readonly ShownAccount[]): ReadonlyMap<string, string> {
  return new Map(
    accounts.map(({ channel, accountId, health, state, lastError }) => {
      const shown = health ?? { state, lastError };
      return [`${channel}/${accountId}`, `${shown.state}: ${shown.lastError ?? ""}`];
    }),
  );
}

async function healthz(bridge: TestBridge): Promise<ReadonlyMap<string, string>> {
  const answer = (await (await fetch(`${bridge.process.url}/healthz`)).json()) as { accounts: readonly ShownAccount[] };
  return linesOf(answer.accounts);
}

async function commandLine(bridge: TestBridge): Promise<ReadonlyMap<string, string>> {
  const { out, err } = await askSwitchyard(bridge.process.folder, ["status", "--json"]);
  if (!out.startsWith("{")) throw new Error(`switchyard status said: ${out}${err}`);
  return linesOf((JSON.parse(out) as { accounts: readonly ShownAccount[] }).accounts);
}

/** The card's lines read `discord/second: reconnecting for 3 s, …: the reason`. */
async function statusCommand(bridge: TestBridge): Promise<ReadonlyMap<string, string>> {
  const after = await bridge.web.operator.says("/status");
  const { text } = await bridge.web.operator.hears(/Session id/, { after, within: PATIENCE_MS });
  const found = [...text.matchAll(/(\w+\/[\w-]+): (\w+) for ([^\n]*)/g)];
  return new Map(found.map(([, account = "", state, rest]) => [account, `${state}: ${rest}`]));
}

/** Talks with an account, lets the cause happen, says something meanwhile, takes the cause away and waits for the answer. */
export async function endures(bridge: TestBridge, surfaces: Surfaces, talk: Talk, cause: Cause): Promise<Endured> {
  const { account } = talk;
  await surfaces.showing(account, /^ready/, 0);
  talk.says("say exactly: before");
  await talk.hears("before", PATIENCE_MS);
  const logsBefore = bridge.process.logs.length;
  await cause.begin();
  const begun = Date.now();
  talk.says("say exactly: meanwhile");
  const shown = cause.shows === undefined ? {} : await surfaces.showing(account, cause.shows, begun);
  // A cause without an end is gone with what it broke: the time runs from its beginning.
  const ended = cause.end === undefined ? begun : Date.now();
  await cause.end?.();
  await talk.hears("meanwhile", PATIENCE_MS);
  const backMs = Date.now() - ended;
  const stalledMs = surfaces.stalledMs(begun);
  await surfaces.showing(account, /^ready/, ended);
  talk.says("say exactly: after");
  await talk.hears("after", PATIENCE_MS);
  const states = bridge.process.logs
    .slice(logsBefore)
    .filter(({ msg, account: of }) => of === account && /^account is /.test(msg));
  return { shown, backMs, stalledMs, logged: states.map(({ state }) => String(state)) };
}

/** What CH-5 asks of every cause, and what of it did not come true. */
export function faultsOf({ shown, backMs, stalledMs, logged }: Endured, said: readonly string[]): readonly string[] {
  const late = Object.entries(shown).filter(([, ms]) => ms > SHOWN_MS + stalledMs);
  const repeated = logged.filter((state, index) => state === logged[index - 1]);
  return [
    ...late.map(([surface, ms]) => `${surface} showed it after ${ms} ms`),
    ...(backMs > BACK_MS + stalledMs ? [`it was back after ${backMs} ms`] : []),
    ...(logged.length > 4 || repeated.length > 0 ? [`the log flapped: ${logged.join(", ")}`] : []),
    ...(said.join() === "before,meanwhile,after" ? [] : [`it said ${said.join(", ")}`]),
  ];
}
