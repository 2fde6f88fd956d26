import { type ChatRequest, type ModelReply, messageText } from "../support/emulators/model/index.ts";
import { Control, KILLABLE } from "./control.ts";
import type { Beside } from "./flow.ts";
import { introduced } from "./introduction.ts";
import { replyTo } from "./model.ts";
import type { Point } from "./points.ts";
import type { Channel, Place, PlaceKind, Stage, StageOptions } from "./stage.ts";
import { startDiscord } from "./stages/discord.ts";
import { startSlack } from "./stages/slack.ts";
import { startTelegram } from "./stages/telegram.ts";
import { startWeb } from "./stages/web.ts";
import { newestSession } from "./store-view.ts";

export const STAGES: Readonly<Record<Channel, (options: StageOptions) => Promise<Stage>>> = {
  telegram: startTelegram,
  discord: startDiscord,
  slack: startSlack,
  web: startWeb,
};

/** What happened on the way of a message, in its order: where it can be cut. */
export interface Way {
  /** The steps committed since the process was last started, or since `begin`. */
  readonly steps: readonly string[];
  /** The requests that change what people see, by method. */
  readonly sends: readonly string[];
  /** How often the model was asked about it. */
  readonly modelCalls: number;
}

/** One program with its platform and model that is killed and started again, case after case. */
export interface Lane extends AsyncDisposable {
  readonly channel: Channel;
  readonly folder: string;
  /** The process that runs now. */
  readonly exited: Promise<unknown>;
  logs(): readonly string[];
  /** Resolves when the program runs and no point ends it; it may have met the last case's point when that was over. */
  alive(): Promise<void>;
  place(kind: PlaceKind, mark: string): Promise<Place>;
  /** Another person's conversation, after a first exchange there, with its session. */
  placeBeside(mark: string): Promise<{ readonly place: Place; readonly beside: Beside }>;
  /** Begins to note what happens to the message with this mark; with a point, the program will die there. */
  begin(mark: string, point: Point | null): Promise<void>;
  /** What was noted. False: the process has died meanwhile. */
  end(): Promise<Way | false>;
  /** Starts it again after its death. */
  restart(): Promise<void>;
  /** Resolves when there may be something new to see. */
  news(): Promise<void>;
}

const LOOK_MS = 100;

export async function openLane(channel: Channel): Promise<Lane> {
  const hooks: { onModel: ((request: ChatRequest) => Promise<void>) | null } = { onModel: null };
  const stage = await STAGES[channel]({
    start: KILLABLE,
    model: async (request): Promise<ModelReply> => {
      await hooks.onModel?.(request);
      return replyTo(request);
    },
  });
  const { bridge } = stage;
  await stage.ready();
  let control = await Control.connect(bridge.process.folder);
  let noted = { steps: 0, sends: [] as string[], modelCalls: 0 };

  const die = async (): Promise<void> => {
    const never = new Promise<void>(() => undefined);
    await bridge.process.kill();
    return never;
  };
  const forget = (): void => {
    hooks.onModel = null;
    stage.watch(null);
  };

  const restart = async (): Promise<void> => {
    forget();
    await bridge.restart(KILLABLE);
    control = await Control.connect(bridge.process.folder);
    noted = { steps: 0, sends: [], modelCalls: 0 };
  };

  return {
    channel,
    get folder() {
      return bridge.process.folder;
    },
    get exited() {
      return bridge.process.exited;
    },
    logs: () => bridge.process.logs.slice(-6).map((line) => JSON.stringify(line)),
    async place(kind, mark) {
      // What is said to a program that has not connected yet is missed on Discord in a conversation without a session.
      if (channel === "discord") await stage.ready();
      const place = await stage.place(kind, mark);
      return channel === "discord" ? await introduced(place, bridge.process.folder) : place;
    },
    async placeBeside(mark) {
      if (channel === "discord") await stage.ready();
      const place = await introduced(await stage.place("dm", `${mark}b`), bridge.process.folder);
      return { place, beside: newestSession(bridge.process.folder) };
    },
    async begin(mark, point) {
      noted = { steps: control.steps.length, sends: [], modelCalls: 0 };
      const own = noted;
      hooks.onModel = async (request) => {
        if (!isAbout(request, mark)) return;
        own.modelCalls += 1;
        if (point?.kind === "model" && own.modelCalls === point.nth) await die();
      };
      const isPoint = (method: string, when: string): boolean =>
        point?.kind === "send" &&
        point.when === when &&
        point.method === method &&
        own.sends.filter((sent) => sent === method).length === point.nth;
      stage.watch({
        async arrives(method, cuts) {
          own.sends.push(method);
          if (isPoint(method, "before")) await die();
          if (!isPoint(method, "cut")) return;
          cuts();
          // It dies when it has noted what it makes of that.
          await control.arm({ step: null, nth: 1, when: "after" });
        },
        accepted: (method) => (isPoint(method, "accepted") ? die() : undefined),
      });
      if (point?.kind === "step") await control.arm(point);
    },
    async end() {
      forget();
      try {
        await control.arm(null);
      } catch {
        await bridge.process.exited;
        return false;
      }
      return { ...noted, steps: control.steps.slice(noted.steps) };
    },
    async alive() {
      try {
        await control.arm(null);
      } catch {
        await bridge.process.exited;
        await restart();
      }
    },
    restart,
    news: () => control.next(LOOK_MS),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

/** A mark may be the beginning of another one. */
function isAbout({ messages }: ChatRequest, mark: string): boolean {
  const whole = new RegExp(`\\b${mark}\\b`);
  return messages.some((message) => whole.test(messageText(message)));
}
