/** What a model's server takes and refuses beyond its protocol; set by a table, the configuration, and what was learnt (FC-301). */
export interface Quirks {
  /**
   * Which of its own reasoning goes back to a model: that of the running tool loop, of all messages with tool calls, all, or none.
   * Another model's reasoning never does (FC-302).
   */
  readonly reasoningBack: "none" | "loop" | "calls" | "all";
  /** Whether a thinking level may be asked for. */
  readonly thinking: boolean;
  /** Whether a stream is asked for its token counts (`stream_options`). */
  readonly streamUsage: boolean;
  readonly pictures: boolean;
  /** The newest this many pictures are sent. */
  readonly maxPictures: number;
  /** `nine`: tool call ids are nine letters and digits (FC-303). */
  readonly callIds: "own" | "nine";
  /** Each step's first call carries Google's thought signature; a call that another model made gets a placeholder. */
  readonly signedCalls: boolean;
  /** False: an assistant message stands between tool results and a user's message. */
  readonly userAfterResults: boolean;
  /** Where instructions go: a system message, or the first user message. */
  readonly system: "system" | "user";
  /** `simple`: tool schemas with only the keywords every server takes. */
  readonly tools: "full" | "simple" | "none";
  /** Tools this server refuses by name. */
  readonly withoutTools: readonly string[];
  /** Anthropic's cache marks. */
  readonly cacheMarks: boolean;
  /** The most tokens of one answer; null: what is known of the model. */
  readonly maxOutput: number | null;
  /** A text that is nothing but a call of an offered tool is run as one (FC-312). */
  readonly textCalls: boolean;
}

export const QUIRKS: Quirks = {
  reasoningBack: "loop",
  thinking: true,
  streamUsage: true,
  pictures: true,
  maxPictures: 50,
  callIds: "own",
  signedCalls: false,
  userAfterResults: true,
  system: "system",
  tools: "full",
  withoutTools: [],
  cacheMarks: true,
  maxOutput: null,
  textCalls: false,
};

/** What refused requests taught of one model (FC-301). */
export interface LearntQuirks {
  readonly quirks: Partial<Quirks>;
  /** Hashes of pictures the model refused. */
  readonly pictures: readonly string[];
  /** The words of its server. */
  readonly because: string;
  /** Milliseconds since the epoch; then it is tried again. */
  readonly until: number;
}
