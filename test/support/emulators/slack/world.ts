import { Signals } from "../signals.ts";
import type {
  AppRecord,
  ConversationKind,
  ConversationRecord,
  FileRecord,
  ResponseUrlRecord,
  TeamRecord,
  TriggerRecord,
  UserRecord,
  ViewRecord,
} from "./records.ts";

type Counter = "T" | "U" | "B" | "A" | "C" | "D" | "F" | "V" | "Ev" | "envelope" | "trigger" | "response" | "client";

/** Everything that exists on the emulated platform. Holds state and finds things; the rules are in their own files. */
export class World {
  readonly signals = new Signals();
  readonly teams = new Map<string, TeamRecord>();
  /** Id → handle of the user groups. */
  readonly userGroups = new Map<string, string>();
  readonly apps = new Map<string, AppRecord>();
  readonly users = new Map<string, UserRecord>();
  readonly conversations = new Map<string, ConversationRecord>();
  readonly files = new Map<string, FileRecord>();
  readonly responseUrls = new Map<string, ResponseUrlRecord>();
  readonly triggers = new Map<string, TriggerRecord>();
  readonly views: ViewRecord[] = [];
  readonly clock: () => number;
  /** `http://127.0.0.1:<port>`, once the server listens. */
  origin = "http://127.0.0.1:0";
  /** Pages of messages have so many at most, whatever is asked for. */
  mostPerPage = 999;
  readonly #counts = new Map<Counter, number>();
  #seq = 0;
  #lastTs = 0;

  /** `clock` gives milliseconds since the epoch. */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** Next number of a kind, from 1. */
  count(kind: Counter): number {
    const next = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, next);
    return next;
  }

  /** A platform id such as `C0EMU00001`. Upper case, and matched exactly, like the platform's. */
  newId(kind: "T" | "U" | "B" | "A" | "C" | "D" | "F" | "V" | "Ev"): string {
    return `${kind}0EMU${String(this.count(kind)).padStart(5, "0")}`;
  }

  seconds(): number {
    return Math.floor(this.clock() / 1000);
  }

  /** A message's ts: seconds with six digits, strictly increasing, unique over all conversations. */
  nextTs(): string {
    const micros = Math.max(this.#lastTs + 1, Math.floor(this.clock() * 1000));
    this.#lastTs = micros;
    return `${Math.floor(micros / 1_000_000)}.${String(micros % 1_000_000).padStart(6, "0")}`;
  }

  appByToken(token: string): { app: AppRecord; kind: "bot" | "app" } | undefined {
    for (const app of this.apps.values()) {
      if (app.botToken === token) return { app, kind: "bot" };
      if (app.appToken === token) return { app, kind: "app" };
    }
    return undefined;
  }

  appById(id: string): AppRecord {
    const app = this.apps.get(id);
    if (app === undefined) throw new Error(`there is no app ${id}`);
    return app;
  }

  addConversation(kind: ConversationKind, team: TeamRecord, options: NewConversation): ConversationRecord {
    // Ids of private channels and group DMs begin with C as well; only those made before 2021 have a G.
    const id = options.id ?? this.newId(kind === "im" ? "D" : "C");
    if (this.conversations.has(id)) throw new Error(`there is already a conversation ${id}`);
    const record: ConversationRecord = {
      id,
      kind,
      name: options.name,
      team,
      creator: options.members[0] ?? "",
      created: this.seconds(),
      topic: "",
      members: new Set(options.members),
      archived: false,
      deleted: false,
      restriction: null,
      messages: new Map(),
      ephemerals: [],
      actions: [],
      assistantThreads: new Set(),
      readUpTo: new Map(),
    };
    this.conversations.set(id, record);
    return record;
  }

  /** The IM of a person with an app's bot; made when it is first asked for. */
  im(user: UserRecord, bot: UserRecord): ConversationRecord {
    for (const c of this.conversations.values()) {
      if (c.kind === "im" && c.members.has(user.id) && c.members.has(bot.id)) return c;
    }
    return this.addConversation("im", bot.team, { name: user.name, members: [user.id, bot.id] });
  }

  /** Apps whose bot is in a conversation. */
  appsIn(conversation: ConversationRecord): AppRecord[] {
    return [...this.apps.values()].filter((app) => conversation.members.has(app.user.id));
  }
}

export interface NewConversation {
  name: string;
  /** User ids; the first is the creator. */
  members: string[];
  id?: string;
}
