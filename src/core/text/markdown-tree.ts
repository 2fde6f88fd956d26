/** Inline content. Text nodes hold decoded text (no entities, no escapes); neighbouring text nodes are merged. */
export type MdInline =
  /** A `\n` in it is a line break of the source, which chats show as one. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "strong" | "em" | "del"; readonly children: readonly MdInline[] }
  /** Hidden until somebody asks for it: `||…||`, where the platform has it. */
  | { readonly type: "spoiler"; readonly children: readonly MdInline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly children: readonly MdInline[] }
  | { readonly type: "image"; readonly url: string; readonly alt: string }
  /** A hard break. */
  | { readonly type: "break" };

export interface MdListItem {
  /** State of a task item's box; null for an ordinary item. */
  readonly checked: boolean | null;
  /** The rest of an item that a cut divided: rendered without a bullet or number. */
  readonly continued: boolean;
  readonly children: readonly MdBlock[];
}

export type MdBlock =
  | { readonly type: "paragraph"; readonly children: readonly MdInline[] }
  | { readonly type: "heading"; readonly level: number; readonly children: readonly MdInline[] }
  /** `lang`: the first word of the info string, or null. */
  | { readonly type: "codeBlock"; readonly lang: string | null; readonly text: string }
  | { readonly type: "quote"; readonly children: readonly MdBlock[] }
  | {
      readonly type: "list";
      readonly ordered: boolean;
      /** Number of the first item; 1 when not ordered. */
      readonly start: number;
      /** Items stand apart by blank lines. */
      readonly loose: boolean;
      readonly items: readonly MdListItem[];
    }
  | {
      readonly type: "table";
      readonly align: readonly MdAlign[];
      readonly header: readonly MdCell[];
      readonly rows: readonly (readonly MdCell[])[];
    }
  | { readonly type: "rule" };

export type MdAlign = "left" | "center" | "right" | null;
export type MdCell = readonly MdInline[];

/** A node of a parsed message: the tree that splitting cuts and every platform renders (DL-7). */
export type MdNode = MdBlock;
