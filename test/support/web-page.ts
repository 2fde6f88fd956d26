import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ends, type FaultPlays, whileItLasts } from "./emulators/fault-model.ts";

const AGAIN_MS = 50;
const SLOW_MS = 150;

/** What happens to a message's request on its way. */
type Trouble =
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "stalls"; readonly until: Promise<void> };

/** The page of one person: keeps a message until the server has it, sends it again under the same id, one after the other. */
export class WebPage {
  readonly #url: () => string;
  readonly #lines = new Map<string, Promise<void>>();
  readonly troubles = new Set<Trouble>();
  /** So many requests to come are cut in the middle of their body, or when all of it is sent. */
  cutsBefore = 0;
  cutsAfter = 0;
  /** Every message is sent twice, beside each other. */
  sendsTwice = false;

  /** `url` is asked at every request: the program may come back at another port. */
  constructor(url: () => string) {
    this.#url = url;
  }

  /** Resolves when the server has it. */
  says(path: string, id: string, text: string): Promise<void> {
    const before = this.#lines.get(path) ?? Promise.resolve();
    const said = before.then(() => this.#untilThere(path, id, text));
    this.#lines.set(path, said);
    return said;
  }

  /** Messages that the server does not have yet are waited for. */
  async settled(): Promise<void> {
    await Promise.all(this.#lines.values());
  }

  async #untilThere(path: string, id: string, text: string): Promise<void> {
    for (;;) {
      const tries = this.sendsTwice
        ? [this.#post(path, id, text), this.#post(path, id, text)]
        : [this.#post(path, id, text)];
      const results = await Promise.allSettled(tries);
      const answered = results.find((result) => result.status === "fulfilled");
      if (answered !== undefined) return;
      await sleep(AGAIN_MS);
    }
  }

  async #post(path: string, id: string, text: string): Promise<void> {
    const form = new FormData();
    form.set("id", id);
    form.set("text", text);
    const whole = new Response(form);
    const contentType = whole.headers.get("content-type") ?? "";
    const body = Buffer.from(await whole.arrayBuffer());
    const origin = this.#url();
    const cut = this.#nextCut();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const outgoing = request(
      `${origin}${path}/messages`,
      {
        method: "POST",
        headers: {
          origin,
          "sec-fetch-site": "same-origin",
          "content-type": contentType,
          "content-length": body.length,
        },
      },
      (response) => {
        response.resume();
        response.once("end", () =>
          response.statusCode === 201 || response.statusCode === 200
            ? resolve()
            : reject(new Error(`answered ${response.statusCode}`)),
        );
      },
    );
    outgoing.once("error", reject);
    // It may end while its second half is held back; whoever waits for it is told.
    promise.catch(() => undefined);
    outgoing.write(body.subarray(0, body.length / 2));
    if (cut === "before") outgoing.destroy(new Error("cut"));
    else {
      await this.#held();
      outgoing.end(body.subarray(body.length / 2), () => {
        if (cut === "after") setImmediate(() => outgoing.destroy(new Error("cut")));
      });
    }
    return promise;
  }

  #nextCut(): "before" | "after" | null {
    if (this.cutsBefore > 0) {
      this.cutsBefore -= 1;
      return "before";
    }
    if (this.cutsAfter === 0) return null;
    this.cutsAfter -= 1;
    return "after";
  }

  async #held(): Promise<void> {
    for (const trouble of this.troubles) await (trouble.kind === "slow" ? sleep(trouble.ms) : trouble.until);
  }
}

function troubles(page: WebPage, trouble: Trouble): Ends {
  page.troubles.add(trouble);
  return () => void page.troubles.delete(trouble);
}

/** How the lines between a page and the program break. There is no platform in between. */
export const WEB_PLAYS: FaultPlays<WebPage> = {
  duplicate: {
    how: "the page sends a message twice under the same id, beside each other",
    begins: (page) => {
      page.sendsTwice = true;
      return () => {
        page.sendsTwice = false;
      };
    },
  },
  reorder: { cannot: "a page sends a message when the one before is stored, and the program's log is the order" },
  delay: {
    how: "a message's request takes a while between its two halves",
    begins: (page, { strength }) => troubles(page, { kind: "slow", ms: SLOW_MS * strength }),
  },
  cut_before: {
    how: "the next requests are cut in the middle of their body",
    begins: (page, { strength }) => {
      page.cutsBefore = strength;
      return () => {
        page.cutsBefore = 0;
      };
    },
  },
  cut_after: {
    how: "the next requests are sent whole, and the page is gone before the answer",
    begins: (page, { strength }) => {
      page.cutsAfter = strength;
      return () => {
        page.cutsAfter = 0;
      };
    },
  },
  half_open: {
    how: "a message's request stands with half of its body until the fault is over",
    begins: (page) => {
      const { over, ends } = whileItLasts();
      const off = troubles(page, { kind: "stalls", until: over });
      return async () => {
        await off();
        ends();
      };
    },
  },
  clock_skew: { cannot: "a page says no time; the program stamps what it stores" },
  rate_limit_storm: { cannot: "nobody but the program itself could refuse a page" },
  server_error: { cannot: "nobody but the program itself answers a page" },
  partial_batch: { cannot: "a page gets the whole log at every connect, and then one change at a time" },
  down: { cannot: "nobody stands between a page and the program; the program's own absence is a kill" },
};
