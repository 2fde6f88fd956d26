import { setTimeout as sleep } from "node:timers/promises";
import type { Flow } from "./flows.ts";
import type { Lane, Point } from "./lane.ts";
import { openRows, openWork, sendingNow } from "./store-view.ts";

const FINISH_MS = 60_000;
const LOOK_MS = 20;

export type Channel = "telegram" | "web";

/** Where one case's person talks with the agent. */
interface Place {
  /** Telegram: the chat's id. */
  readonly chat: number | null;
  /** Resolves when the message is on the platform; on the web page, when the page has it stored. */
  says(text: string): Promise<void>;
  /** What the agent's messages say there now, oldest first. */
  answers(): Promise<readonly string[]>;
}

export interface CaseResult {
  /** False: the message was through before the point came. */
  readonly died: boolean;
  readonly lost: readonly string[];
  /** What stands there beyond one of each answer: doubles and left-over previews. */
  readonly extra: readonly string[];
  /** Sends that were claimed and not settled when the process died. */
  readonly inFlight: number;
  /** The steps committed on the message's way; of the last process when one died. */
  readonly steps: readonly string[];
  /** Requests to the model that are about this message, and sends of new messages into its chat. */
  readonly modelCalls: number;
  readonly sends: number;
}

/**
 * One person writes one message, the process dies at the point and is started again. Resolves when everything has been
 * answered and nothing is on its way any more; rejects when that does not come.
 */
export async function runCase(
  lane: Lane,
  given: { readonly flow: Flow; readonly channel: Channel; readonly point: Point | null; readonly mark: string },
): Promise<CaseResult> {
  const { flow, channel, point, mark } = given;
  const place = channel === "telegram" ? telegramPlace(lane, mark) : await webPlace(lane, mark);
  if (point !== null) await lane.arm(point, { mark, chat: place.chat });
  const before = lane.steps().length;
  const watching = new AbortController();
  const { exited } = lane.bridge.process;
  const saying = place.says(flow.says(mark));
  const done = saying.then(() => finished(lane, { place, flow, mark, signal: watching.signal }));
  done.catch(() => undefined);
  const through = await Promise.race([exited.then(() => false), done.then(() => true)]);
  watching.abort();
  const died = !through || !(await lane.disarm());
  const inFlight = died ? sendingNow(lane.folder) : 0;
  if (died) {
    await lane.restart();
    await saying;
    await finished(lane, { place, flow, mark, signal: new AbortController().signal });
  }
  const steps = died ? lane.steps() : lane.steps().slice(before);
  const counts = { modelCalls: lane.modelCalls(mark), sends: place.chat === null ? 0 : lane.sends(place.chat) };
  return { died, inFlight, steps, ...counts, ...compared(await place.answers(), flow, mark) };
}

interface Watched {
  readonly place: Place;
  readonly flow: Flow;
  readonly mark: string;
  readonly signal: AbortSignal;
}

/** Every answer stands there and the store has nothing on its way. Only then can a double no longer come. */
async function finished(lane: Lane, { place, flow, mark, signal }: Watched): Promise<void> {
  const deadline = performance.now() + FINISH_MS;
  for (;;) {
    if (signal.aborted) return;
    const answers = await place.answers().catch((): readonly string[] => []);
    const missing = flow.answers(mark).filter((answer) => !answers.includes(answer));
    const open = openWork(lane.folder);
    if (missing.length === 0 && Object.values(open).every((count) => count === 0)) return;
    if (performance.now() > deadline) {
      const logs = lane.bridge.process.logs.slice(-15).map((line) => JSON.stringify(line));
      throw new Error(
        `${mark}: not through after ${FINISH_MS} ms. Missing ${JSON.stringify(missing)}, there is ${JSON.stringify(answers)}, ` +
          `open ${JSON.stringify(open)}\n${[...openRows(lane.folder), ...logs].join("\n")}`,
      );
    }
    await sleep(LOOK_MS);
  }
}

function compared(answers: readonly string[], flow: Flow, mark: string): Pick<CaseResult, "lost" | "extra"> {
  const extra = [...answers];
  const lost: string[] = [];
  for (const wanted of flow.answers(mark)) if (!takeOut(extra, wanted)) lost.push(wanted);
  for (const allowed of flow.mayAnswer(mark)) takeOut(extra, allowed);
  return { lost, extra };
}

function takeOut(texts: string[], wanted: string): boolean {
  const at = texts.indexOf(wanted);
  if (at >= 0) texts.splice(at, 1);
  return at >= 0;
}

function telegramPlace({ bridge }: Lane, mark: string): Place {
  const person = bridge.tg.user({ name: `Person ${mark}` });
  const dm = person.dm(bridge.bot);
  return {
    chat: dm.id,
    says: async (text) => void dm.says(text),
    answers: async () =>
      dm
        .messages()
        .filter((message) => message.from?.is_bot === true)
        .map((message) => message.text ?? ""),
  };
}

async function webPlace({ bridge }: Lane, mark: string): Promise<Place> {
  const channel = await bridge.web.channel(`Case ${mark}`);
  return {
    chat: null,
    says: async (text) => {
      const id = `client-${mark}-0001`;
      // The page keeps a message until the server has it, and sends it again under the same id.
      for (;;) {
        try {
          await channel.says(text, { id });
          return;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          await sleep(LOOK_MS);
        }
      }
    },
    answers: () => channel.answers(),
  };
}
