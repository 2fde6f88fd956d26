import { refused } from "./refusal.ts";

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
type Fields = { [key: string]: Value };

/** Most blocks in a message, and in a view. */
export const MOST_BLOCKS = 50;
export const MOST_VIEW_BLOCKS = 100;
/** Characters all markdown blocks of one message may have together. */
const MARKDOWN_LENGTH = 12_000;
/**
 * Characters all texts of a message's blocks may have together, each block counting for some more. The limit is not
 * documented (`msg_blocks_too_long`); these numbers refuse and pass what people who met it have measured.
 */
const TOTAL_LENGTH = 13_300;
const LENGTH_PER_BLOCK = 45;

/** Longest texts, by the type of what holds them and the field. In characters. */
const LONGEST: Record<string, Record<string, number>> = {
  section: { text: 3000 },
  header: { text: 150 },
  image: { alt_text: 2000, image_url: 3000, title: 2000 },
  button: { text: 75, value: 2000, url: 3000, action_id: 255 },
  static_select: { action_id: 255, placeholder: 150 },
  external_select: { action_id: 255, placeholder: 150 },
  overflow: { action_id: 255 },
  plain_text_input: { action_id: 255, placeholder: 150 },
  input: { label: 2000, hint: 2000 },
  video: { title: 200, description: 200 },
};

/** Most entries, by type and field. */
/** Longest texts of an option of a select; it has no type of its own. */
const OPTION = { text: 75, value: 150, description: 75 };

const MOST: Record<string, Record<string, number>> = {
  section: { fields: 10 },
  actions: { elements: 25 },
  context: { elements: 10 },
  static_select: { options: 100 },
  overflow: { options: 5 },
  radio_buttons: { options: 10 },
  checkboxes: { options: 10 },
};

function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lengthOf(value: Value | undefined): number {
  if (typeof value === "string") return value.length;
  return isFields(value) && typeof value.text === "string" ? value.text.length : 0;
}

function tooMuch(what: string, pointer: string): Error {
  return refused("invalid_blocks", `[ERROR] ${what} [json-pointer:${pointer}]`);
}

/** Checks the options of a select, in a message or proposed for it. */
export function checkOptions(given: readonly unknown[], pointer: string): void {
  const options = given as Value[];
  if (options.length > (MOST.static_select?.options ?? 0)) throw tooMuch("no more than 100 items allowed", pointer);
  for (const [index, option] of options.entries()) {
    if (
      !isFields(option) ||
      !isFields(option.text) ||
      option.text.type !== "plain_text" ||
      typeof option.value !== "string"
    )
      throw tooMuch("an option has a plain text and a value", `${pointer}/${index}`);
    for (const [field, most] of Object.entries(OPTION)) {
      const length = lengthOf(option[field]);
      if (length > most) throw tooMuch(`must be less than ${most + 1} characters`, `${pointer}/${index}/${field}`);
      if (length === 0 && field !== "description")
        throw tooMuch("must be more than 0 characters", `${pointer}/${index}/${field}`);
    }
  }
}

/** Everything inside a block that has limits. */
function checkInside(value: Value, pointer: string): void {
  if (Array.isArray(value)) for (const [index, entry] of value.entries()) checkInside(entry, `${pointer}/${index}`);
  else if (isFields(value)) {
    const type = String(value.type ?? "");
    for (const [field, most] of Object.entries(LONGEST[type] ?? {})) {
      if (lengthOf(value[field]) > most)
        throw tooMuch(`must be less than ${most + 1} characters`, `${pointer}/${field}`);
    }
    for (const [field, most] of Object.entries(MOST[type] ?? {})) {
      const list = value[field];
      if (Array.isArray(list) && list.length > most)
        throw tooMuch(`no more than ${most} items allowed`, `${pointer}/${field}`);
    }
    if (type === "static_select") {
      const options = Array.isArray(value.options) ? value.options : [];
      if (options.length === 0 && value.option_groups === undefined)
        throw tooMuch("no fewer than 1 items allowed", `${pointer}/options`);
      checkOptions(options, `${pointer}/options`);
    }
    if (lengthOf(value.block_id) > 255) throw tooMuch("must be less than 256 characters", `${pointer}/block_id`);
    for (const [field, inner] of Object.entries(value)) checkInside(inner, `${pointer}/${field}`);
  }
}

function textsOf(value: Value): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isFields(value)) return [];
  const own = typeof value.text === "string" ? [value.text] : [];
  return [...own, ...Object.values(value).flatMap((inner) => (typeof inner === "object" ? textsOf(inner) : []))];
}

function checkOne(block: Value, pointer: string): void {
  if (!isFields(block)) return;
  if (block.type === "section") {
    if (block.text === undefined && block.fields === undefined) throw tooMuch("missing required field: text", pointer);
    const fields = Array.isArray(block.fields) ? block.fields : [];
    if (fields.some((field) => lengthOf(field) > 2000))
      throw tooMuch("must be less than 2001 characters", `${pointer}/fields`);
    if (block.text !== undefined && lengthOf(block.text) === 0)
      throw tooMuch("must be more than 0 characters", `${pointer}/text`);
  }
  if (block.type === "markdown" && lengthOf(block.text) === 0)
    throw tooMuch("must be more than 0 characters", `${pointer}/text`);
  const actions = Array.isArray(block.elements) ? block.elements : [];
  const named = actions.flatMap((element) => (isFields(element) && element.action_id ? [element.action_id] : []));
  if (new Set(named).size < named.length) throw tooMuch("action_id must be unique within a block", pointer);
  checkInside(block, pointer);
}

/** Checks what the schema cannot say: lengths and numbers. Refuses with `invalid_blocks` or `msg_blocks_too_long`. */
export function checkBlocks(blocks: readonly unknown[], most = MOST_BLOCKS): void {
  // What came over the wire is JSON.
  const list = blocks as Value[];
  if (list.length > most) throw tooMuch(`no more than ${most} items allowed`, "/blocks");
  for (const [index, block] of list.entries()) checkOne(block, `/blocks/${index}`);
  const ids = list.flatMap((block) => (isFields(block) && typeof block.block_id === "string" ? [block.block_id] : []));
  if (new Set(ids).size < ids.length) throw tooMuch("block_id must be unique", "/blocks");
  const markdown = list.filter((block) => isFields(block) && block.type === "markdown");
  const length = markdown.flatMap(textsOf).join("").length;
  if (length > MARKDOWN_LENGTH) throw tooMuch(`must be less than ${MARKDOWN_LENGTH + 1} characters`, "/blocks");
  const total = textsOf(list).join("").length + list.length * LENGTH_PER_BLOCK;
  if (most === MOST_BLOCKS && total > TOTAL_LENGTH) throw refused("msg_blocks_too_long");
}

/** Blocks as stored: every block has a `block_id`. */
export function withIds(blocks: readonly unknown[], ts: string): Record<string, unknown>[] {
  return blocks.map((block, index) => ({ block_id: `b${ts.slice(-4)}${index}`, ...(block as object) }));
}

/** The plain text a message without `text` is shown as in notifications. */
export function fallbackText(blocks: readonly unknown[]): string {
  return textsOf(blocks as Value[]).join("\n");
}
