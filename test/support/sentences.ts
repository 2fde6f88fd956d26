/**
 * The sentences in a source text: string and template literals of at least three words. What only operators of the program's
 * own code read is left out: what is logged, programmer errors, SQL, and the documentation of configuration keys, metrics and
 * cells of the guarantee.
 */
export function sentencesIn(source: string): readonly string[] {
  return literalsIn(source)
    .filter(({ callees }) => !callees.some((callee) => OTHERWISE_READ.test(callee)))
    .map(({ text }) => text)
    .filter(isSentence);
}

interface Literal {
  /** Values put into a template are written `…`. */
  readonly text: string;
  /** The calls it is an argument of, the outermost first, as they are written before their parenthesis. */
  readonly callees: readonly string[];
}

const OTHERWISE_READ =
  /(\blog\.\w+|\blog\?\.\w+|\blog|new (Type|Range|Syntax)?Error|\bnoted|\bsql(<.*>)?|\.describe|\.meta|\bdoc|\.raw|\bsection|\bcounter|\bgauge|\bhistogram|\bonce|\batLeastOnce|\baLineInstead|\bnotAtAll)$/;
const BEFORE_REGEX = /(^|[(,=:[!&|?{};>]|\breturn)$/;

function isSentence(text: string): boolean {
  const words = text.replace(/<[^<>]*>/g, " ").match(/(?<=^|[\s("“])[A-Za-z][a-z'’]*(?=$|[\s,.;:!?)"”…])/g) ?? [];
  return words.length >= 3 && !/^\s*(select|insert|update|delete|create|alter|drop|pragma|with)\b/i.test(text);
}

/** A scanner, not a parser: enough of the language to know where strings, comments and regular expressions begin and end. */
function literalsIn(source: string): readonly Literal[] {
  const found: Literal[] = [];
  const open: string[] = [];
  let at = 0;

  function skipTo(end: string): void {
    const found = source.indexOf(end, at);
    at = found < 0 ? source.length : found + end.length;
  }

  function quoted(quote: string): string {
    const start = ++at;
    while (at < source.length && source[at] !== quote) at += source[at] === "\\" ? 2 : 1;
    return source.slice(start, at++);
  }

  function template(): string {
    at++;
    let text = "";
    while (at < source.length && source[at] !== "`") {
      if (source.startsWith("${", at)) {
        at += 2;
        code("}");
        text += "…";
      } else {
        if (source[at] === "\\") at++;
        text += source[at++];
      }
    }
    at++;
    return text;
  }

  function regex(): void {
    let inClass = false;
    for (at++; at < source.length && (inClass || source[at] !== "/"); at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === "[") inClass = true;
      else if (source[at] === "]") inClass = false;
    }
    at++;
  }

  function code(until: string | null): void {
    let before = "";
    let depth = 0;
    while (at < source.length) {
      const char = source[at] ?? "";
      if (until === "}" && char === "}" && depth-- === 0) return void at++;
      if (until === "}" && char === "{") depth++;
      if (source.startsWith("//", at)) skipTo("\n");
      else if (source.startsWith("/*", at)) skipTo("*/");
      else if (char === '"' || char === "'") found.push({ callees: [...open], text: quoted(char) });
      else if (char === "`") {
        const callees = [...open, before.trimEnd()];
        found.push({ callees, text: template() });
      } else if (char === "/" && BEFORE_REGEX.test(before.trimEnd())) regex();
      else {
        if (char === "(") open.push(before.trimEnd());
        if (char === ")") open.pop();
        before = (before + char).slice(-80);
        at++;
        continue;
      }
      before += "_";
    }
  }

  code(null);
  return found;
}
