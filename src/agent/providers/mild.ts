import type { ModelRequest } from "../../core/model.ts";
import type { LearntQuirks, Quirks } from "../../core/quirks.ts";
import type { VendorError } from "./vendor-error.ts";
import { pictureHash } from "./wire/conversation.ts";
import type { Form } from "./wire/protocol.ts";

type CallForm = Omit<Form, "maker">;
type Changes = Partial<Quirks> & { readonly refusePictures?: true };

interface Hint {
  readonly words: RegExp;
  readonly changes: (found: RegExpExecArray, request: ModelRequest) => Changes;
}

/** What servers say when they refuse one thing (FC-307); the first that matches counts. */
const HINTS: readonly Hint[] = [
  { words: /missing.{0,6}thought_?signature/i, changes: () => ({ signedCalls: true }) },
  {
    words:
      /reasoning_content.{0,60}must be passed back|missing.{0,12}reasoning_content|reasoning_content.{0,12}(?:missing|required)/i,
    changes: () => ({ reasoningBack: "calls" }),
  },
  { words: /stream_options|include_usage/i, changes: () => ({ streamUsage: false }) },
  { words: /cache_control/i, changes: () => ({ cacheMarks: false }) },
  {
    words:
      /max_tokens\D{1,6}\d+\D+?(\d{3,7})|max_(?:completion_|output_)?tokens.{0,80}?(?:at most|less than or equal to|<=)\D*(\d{3,7})/i,
    changes: ([, a, b]) => ({ maxOutput: Number(a ?? b) }),
  },
  {
    words:
      /reasoning_(?:content|details)|'?(?:thinking|reasoning)'? ?(?:block|signature)|signature|encrypted[ _]content|redacted_thinking|(?:expected|found) `?(?:redacted_)?thinking/i,
    changes: () => ({ reasoningBack: "none" }),
  },
  {
    words:
      /reasoning[._ ]?effort|thinking(?:[._ ]?(?:budget|level|config|mode))?|budget_tokens|enable_thinking|output_config|\breasoning\b/i,
    changes: () => ({ thinking: false }),
  },
  { words: /image|picture|vision|multi-?modal|media[_ ]type|inline_?data/i, changes: () => ({ refusePictures: true }) },
  {
    words: /tool.?call.?ids?|tool_use_id|call_id.{0,40}(?:length|pattern|invalid|too long)|id was .* but must be/i,
    changes: () => ({ callIds: "nine" }),
  },
  {
    words:
      /unexpected role|after role|roles? must|must alternate|alternating|conversation roles|last (?:message|role)/i,
    changes: () => ({ userAfterResults: false }),
  },
  {
    words: /system (?:role|message|prompt|instruction)s?.{0,40}(?:not|un)|developer instruction/i,
    changes: () => ({ system: "user" }),
  },
  { words: /schema|grammar|function_declarations|input_schema|\bparameters\b/i, changes: schemaChanges },
  {
    words:
      /tools?(?: use| calling)?.{0,40}(?:not|un|n't)|(?:not|n't|no endpoints).{0,40}\btools?\b|function.?calling|tool_choice|tool-call-parser/i,
    changes: () => ({ tools: "none" }),
  },
];

/** The mildest form that keeps the words (FC-301). */
const MILDEST: Changes = {
  reasoningBack: "none",
  thinking: false,
  streamUsage: false,
  callIds: "nine",
  userAfterResults: false,
  system: "user",
  tools: "simple",
  cacheMarks: false,
  refusePictures: true,
};

const DAY_MS = 86_400_000;
/** What a server's words named is remembered for long; for the mildest form it is unknown which part of it helped. */
const NAMED_MS = 30 * DAY_MS;
const UNNAMED_MS = DAY_MS;
const MAX_HINTS = 3;
const MAX_PICTURES = 100;

/** The ways down from one refused request: what its words name, then everything optional at once, then without tools. */
export function createMildRetry(request: ModelRequest, first: CallForm) {
  let form = first;
  let changes: Changes = {};
  let hints = 0;
  let isMildest = false;
  const reasons: string[] = [];
  const pictures = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "image" ? [pictureHash(part.bytes)] : [])),
  );

  const apply = (more: Changes): CallForm => {
    changes = { ...changes, ...more };
    const { refusePictures, ...quirks } = more;
    form = {
      quirks: { ...form.quirks, ...quirks },
      refusedPictures: refusePictures === true ? new Set([...form.refusedPictures, ...pictures]) : form.refusedPictures,
    };
    return form;
  };
  const isNew = (more: Changes): boolean => {
    const { refusePictures, ...quirks } = more;
    const fresh = refusePictures === true && pictures.some((hash) => !form.refusedPictures.has(hash));
    return (
      fresh ||
      Object.entries(quirks).some(
        ([key, value]) => JSON.stringify(form.quirks[key as keyof Quirks]) !== JSON.stringify(value),
      )
    );
  };

  return {
    /** The form of the next try, or null: nothing is left that could be left out. `certain`: the server refused this very request. */
    next(refusal: VendorError | null, certain: boolean): CallForm | null {
      const hint = hints < MAX_HINTS ? hintOf(refusal, request) : null;
      if (hint !== null && isNew(hint)) {
        hints += 1;
        if (refusal !== null) reasons.push(refusal.message);
        return apply(hint);
      }
      if (!certain) return null;
      if (refusal !== null && reasons.length === 0) reasons.push(refusal.message);
      if (!isMildest) {
        isMildest = true;
        const milder = relevant(MILDEST, request);
        if (isNew(milder)) return apply(milder);
      }
      return request.tools.length > 0 && form.quirks.tools !== "none" ? apply({ tools: "none" }) : null;
    },
    /** What helped, to be remembered; null: the first try was answered. */
    learnt(now: number, known: LearntQuirks | null): LearntQuirks | null {
      if (Object.keys(changes).length === 0) return null;
      const { refusePictures, ...quirks } = changes;
      const refused = [...new Set([...(known?.pictures ?? []), ...(refusePictures === true ? pictures : [])])].slice(
        -MAX_PICTURES,
      );
      // One picture may be odd; a model that refuses them again and again cannot see.
      const blind = refusePictures === true && (known?.pictures.length ?? 0) > 0 ? { pictures: false } : {};
      return {
        quirks: { ...known?.quirks, ...quirks, ...blind },
        pictures: refused,
        because: (reasons[0] ?? "").slice(0, 200),
        until: now + (isMildest ? UNNAMED_MS : NAMED_MS),
      };
    },
  };
}

function hintOf(refusal: VendorError | null, request: ModelRequest): Changes | null {
  if (refusal === null) return null;
  const said = `${refusal.param ?? ""} ${refusal.code ?? ""} ${refusal.message}`;
  for (const { words, changes } of HINTS) {
    const found = words.exec(said);
    if (found !== null) return changes(found, request);
  }
  return null;
}

/** A refused schema whose tool is named costs that tool only; else all schemas are said in the simplest words. */
function schemaChanges(found: RegExpExecArray, { tools }: ModelRequest): Changes {
  const said = found.input;
  const index = /\btools[.[](\d+)|function_declarations\[(\d+)\]/.exec(said);
  const at = index === null ? undefined : tools[Number(index[1] ?? index[2])]?.name;
  const named = at ?? tools.map(({ name }) => name).find((name) => said.includes(name));
  return named === undefined ? { tools: "simple" } : { withoutTools: [named] };
}

/** Of the mildest form only what this request had. */
function relevant(all: Changes, { thinking, messages, tools, system }: ModelRequest): Changes {
  const has = (type: string): boolean => messages.some(({ parts }) => parts.some((part) => part.type === type));
  const keep: Partial<Record<keyof Changes, boolean>> = {
    thinking: thinking !== null,
    reasoningBack: has("reasoning"),
    callIds: has("tool_call"),
    userAfterResults: has("tool_call"),
    tools: tools.length > 0,
    system: system !== "",
    refusePictures: has("image"),
  };
  return Object.fromEntries(Object.entries(all).filter(([key]) => keep[key as keyof Changes] !== false));
}
