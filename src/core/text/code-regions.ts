/** Finds code in model text: closed fenced blocks and inline code spans, as far as `ST-6` exempts them. */
export interface CodeRegions {
  /** The first code region that starts at or after `position`, as UTF-16 offsets, or null. Calls must not go backwards. */
  next(position: number): { readonly start: number; readonly end: number } | null;
  /** True when a fence starts at or after `position` and no later line closes it. */
  hasOpenFence(position: number): boolean;
}

interface FenceLine {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
  readonly size: number;
  /** Nothing after the marks and no list bullet before them: it can close a fence. */
  readonly bare: boolean;
}

interface BacktickRun {
  readonly start: number;
  readonly end: number;
  /** Offset just behind the run that closes the span, or -1. */
  closedAt: number;
}

const FENCE_LINE = /^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*)(`{3,}(?=[^`]*$)|~{3,})([^\n]*)$/;
/** Where CommonMark ends the paragraph that an inline span would have to stay in. */
const BLOCK_BOUNDARY = /\n[ \t>]*(?:\n|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3})/;
const NO_CODE: CodeRegions = { next: () => null, hasOpenFence: () => false };

/**
 * Prepares the search for code in `text`. A region is decided from where the reader stands (`next`), so a backtick
 * inside removed reasoning can never pair with one in the answer. Linear in the length of the text.
 */
export function findCode(text: string): CodeRegions {
  if (!text.includes("`") && !text.includes("~~~")) return NO_CODE;
  const fences = findFenceLines(text);
  const closable = closableSizes(fences);
  const runs = findRuns(text, fences);
  let fenceIndex = 0;
  let runIndex = 0;

  const isClosed = (index: number): boolean => {
    const fence = fences[index];
    return fence !== undefined && (closable[index + 1]?.[fence.mark === "`" ? 0 : 1] ?? 0) >= fence.size;
  };
  let found: { readonly start: number; readonly end: number } | null = null;
  const closedFence = (position: number): { readonly start: number; readonly end: number } | null => {
    if (found !== null && found.start >= position) return found;
    for (; fenceIndex < fences.length; fenceIndex += 1) {
      const fence = fences[fenceIndex];
      if (fence === undefined || fence.start < position || !isClosed(fenceIndex)) continue;
      found = { start: fence.start, end: endOfFence(fences, fenceIndex) };
      return found;
    }
    return null;
  };
  const closedSpan = (position: number): { start: number; end: number } | null => {
    while (runIndex < runs.length) {
      const run = runs[runIndex];
      if (run !== undefined && run.start >= position && run.closedAt !== -1) {
        return { start: run.start, end: run.closedAt };
      }
      runIndex += 1;
    }
    return null;
  };
  return {
    next(position) {
      const fence = closedFence(position);
      const span = closedSpan(position);
      if (fence === null || span === null) return fence ?? span;
      return fence.start <= span.start ? fence : span;
    },
    hasOpenFence: (position) => fences.some((fence, index) => fence.start >= position && !isClosed(index)),
  };
}

/** End of the line that closes fence `index`; the caller knows that there is one. */
function endOfFence(fences: readonly FenceLine[], index: number): number {
  const opener = fences[index];
  for (let at = index + 1; at < fences.length; at += 1) {
    const line = fences[at];
    if (line?.bare && line.mark === opener?.mark && line.size >= opener.size) return line.end;
  }
  return opener?.end ?? 0;
}

function findFenceLines(text: string): FenceLine[] {
  const lines: FenceLine[] = [];
  let end = -1;
  for (const { index } of text.matchAll(/`{3,}|~{3,}/g)) {
    if (index < end) continue;
    const start = text.lastIndexOf("\n", index) + 1;
    const newline = text.indexOf("\n", index);
    end = newline === -1 ? text.length : newline;
    const match = FENCE_LINE.exec(text.slice(start, end));
    if (match === null) continue;
    const [, prefix = "", marks = "", info = ""] = match;
    lines.push({
      start,
      end,
      mark: marks.charAt(0),
      size: marks.length,
      bare: info.trim() === "" && /^[ \t>]*$/.test(prefix),
    });
  }
  return lines;
}

/** For every line: the longest bare fence of backticks and of tildes from there on. Makes "is it ever closed?" one look. */
function closableSizes(fences: readonly FenceLine[]): [number, number][] {
  const sizes: [number, number][] = new Array(fences.length + 1);
  let current: [number, number] = [0, 0];
  sizes[fences.length] = current;
  for (let index = fences.length - 1; index >= 0; index -= 1) {
    const fence = fences[index];
    if (fence?.bare) {
      current =
        fence.mark === "`"
          ? [Math.max(current[0], fence.size), current[1]]
          : [current[0], Math.max(current[1], fence.size)];
    }
    sizes[index] = current;
  }
  return sizes;
}

/** All backtick runs outside fence lines with the run that closes each, found from the back so that no run searches ahead. */
function findRuns(text: string, fences: readonly FenceLine[]): BacktickRun[] {
  const runs: BacktickRun[] = [];
  let fenceIndex = 0;
  for (let start = text.indexOf("`"), end = 0; start !== -1; start = text.indexOf("`", end)) {
    end = start + 1;
    while (text.charCodeAt(end) === 96) end += 1;
    while ((fences[fenceIndex]?.end ?? Number.POSITIVE_INFINITY) <= start) fenceIndex += 1;
    const fence = fences[fenceIndex];
    if (fence !== undefined && start >= fence.start) continue;
    runs.push({ start, end, closedAt: -1 });
  }
  const closers = new Map<number, BacktickRun>();
  let newline = text.length;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    const following = runs[index + 1];
    if (following !== undefined) {
      if (newline >= following.start) newline = text.lastIndexOf("\n", following.start - 1);
      // Most runs have their neighbour in the same line, where no paragraph ends.
      if (newline >= run.end && BLOCK_BOUNDARY.test(text.slice(run.end, following.start))) closers.clear();
    }
    const size = run.end - run.start;
    const usable = isEscaped(text, run.start) ? size - 1 : size;
    run.closedAt = usable === 0 ? -1 : (closers.get(usable)?.end ?? -1);
    closers.set(size, run);
  }
  return runs;
}

function isEscaped(text: string, position: number): boolean {
  let slashes = 0;
  while (slashes < 64 && text.charCodeAt(position - 1 - slashes) === 92) slashes += 1;
  return slashes % 2 === 1;
}
