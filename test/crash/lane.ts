import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChatRequest, type ModelReply, messageText } from "../support/emulators/model/index.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import { replyTo } from "./flows.ts";

const KILL_AT = fileURLToPath(new URL("./kill-at.ts", import.meta.url));
const START = { nodeArgs: ["--import", KILL_AT], env: { KILL_AT_SOCKET: "kill.sock" } };

/** Where the process ends. */
export type Point =
  | { readonly kind: "step"; readonly step: string; readonly nth: number; readonly later: boolean }
  /** At the n-th request to the model of this message. */
  | { readonly kind: "model"; readonly nth: number }
  /** Telegram has carried out the n-th send into the conversation and has not answered. */
  | { readonly kind: "accepted"; readonly nth: number }
  /** The same, and the connection was cut; the process learns that and dies when it has noted it. */
  | { readonly kind: "cut" };

/** One program with its platform and model that is killed and started again, case after case. */
export interface Lane extends AsyncDisposable {
  readonly bridge: TestBridge;
  readonly folder: string;
  /** Arms the point for the message with this mark; resolves when the program will die there. */
  arm(point: Point, where: { readonly mark: string; readonly chat: number | null }): Promise<void>;
  /** False: it died before it could be disarmed. */
  disarm(): Promise<boolean>;
  /** Starts it again after its death. */
  restart(): Promise<void>;
  modelCalls(mark: string): number;
  sends(chat: number): number;
  /** The names of the steps committed since the process was last started. */
  steps(): readonly string[];
}

export async function openLane(): Promise<Lane> {
  const hooks: { onModel: ((request: ChatRequest) => Promise<void>) | null } = { onModel: null };
  const bridge = await startTestBridge({
    start: START,
    model: async (request): Promise<ModelReply> => {
      await hooks.onModel?.(request);
      return replyTo(request);
    },
  });
  let control = await Control.connect(bridge.process.folder);

  const never = new Promise<void>(() => undefined);
  const killHere = async (): Promise<void> => {
    await bridge.process.kill();
    return never;
  };

  const forget = (): void => {
    hooks.onModel = null;
    bridge.tg.onAccepted(null);
    bridge.tg.heals();
  };

  return {
    bridge,
    get folder() {
      return bridge.process.folder;
    },
    async arm(point, { mark, chat }) {
      switch (point.kind) {
        case "step":
          return control.arm(point);
        case "model": {
          let seen = 0;
          hooks.onModel = async (request) => {
            if (!isAbout(request, mark)) return;
            seen += 1;
            if (seen === point.nth) return killHere();
          };
          return;
        }
        case "accepted": {
          let seen = 0;
          bridge.tg.onAccepted(async (method, params) => {
            if (method !== "sendMessage" || params.chat_id !== chat) return;
            seen += 1;
            if (seen === point.nth) return killHere();
          });
          return;
        }
        case "cut":
          bridge.tg.fails({ kind: "cutAfter" }, { method: "sendMessage", ...(chat === null ? {} : { chat }) });
          return control.arm({ step: "settle-delivery", nth: 1, later: false });
      }
    },
    async disarm() {
      forget();
      return control.arm(null).then(
        () => true,
        () => bridge.process.exited.then(() => false),
      );
    },
    async restart() {
      forget();
      await bridge.restart(START);
      control = await Control.connect(bridge.process.folder);
    },
    modelCalls: (mark) => bridge.model.requests.filter((request) => isAbout(request, mark)).length,
    sends: (chat) => bridge.tg.calls("sendMessage").filter((sent) => sent.params.chat_id === chat).length,
    steps: () => control.steps,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}

/** A mark may be the beginning of another one. */
function isAbout({ messages }: ChatRequest, mark: string): boolean {
  const whole = new RegExp(`\\b${mark}\\b`);
  return messages.some((message) => whole.test(messageText(message)));
}

/** The line to `kill-at.ts` inside the program. */
class Control {
  readonly steps: string[] = [];
  readonly #socket: Socket;
  #armed: (() => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    let rest = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "armed") this.#armed?.();
        else this.steps.push(line);
      }
    });
    // The program dies while this line is open: that is what it is for.
    socket.on("error", () => undefined);
  }

  static connect(folder: string): Promise<Control> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(join(folder, "kill.sock"));
      socket.once("connect", () => resolve(new Control(socket)));
      socket.once("error", reject);
    });
  }

  /** null: no step ends it. */
  arm(point: { readonly step: string; readonly nth: number; readonly later: boolean } | null): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#armed = resolve;
      this.#socket.once("close", () => reject(new Error("the program ended before it was armed")));
      this.#socket.write(JSON.stringify(point));
    });
  }
}
