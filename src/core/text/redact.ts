/** A text without credentials, and whether any was found. */
export interface Redacted {
  readonly text: string;
  readonly redacted: boolean;
}

interface Pattern {
  readonly kind: string;
  /** A cheap test; the pattern can only match if it passes. */
  readonly hint: RegExp | string;
  readonly pattern: RegExp;
  /** What to put back; default is the mark alone. */
  readonly keep?: string;
}

/** Configured secrets shorter than this are ignored: they would mask ordinary words. */
const MIN_SECRET = 6;

/*
 * Every pattern starts at a boundary and has no two neighbouring quantifiers that can match the same character, so each
 * pass is linear. `keep` refers to the groups of its pattern; `%` stands for the mark.
 */
const PATTERNS: readonly Pattern[] = [
  {
    kind: "private-key",
    hint: "-----BEGIN ",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    kind: "url-credentials",
    hint: "://",
    pattern: /(?<=[A-Za-z0-9+.-]:\/\/)[^\s:/@?#"'<>[\]]{0,256}:[^\s/?#"'<>]{1,256}@(?=[^\s@])/g,
    keep: "%@",
  },
  { kind: "jwt", hint: "eyJ", pattern: /(?<![\w-])eyJ[\w-]{6,}\.eyJ[\w-]{4,}\.[\w-]*/g },
  {
    kind: "bearer",
    hint: /bearer|basic/i,
    pattern: /(?<![A-Za-z0-9])(Bearer|Basic)([ \t]{1,4}|%20)(?=[\w.~+/-]{0,80}[\d_.~+/=-])[\w.~+/-]{12,}={0,2}/gi,
    keep: "$1$2%",
  },
  { kind: "api-key", hint: "sk-", pattern: /(?<![A-Za-z0-9])sk-(?=[\w-]{0,120}\d)[\w-]{16,}/g },
  { kind: "slack-token", hint: "xox", pattern: /(?<![A-Za-z0-9])xox[a-z](?:\.xox[a-z])?-[\w-]{10,}/g },
  { kind: "slack-token", hint: "xapp-", pattern: /(?<![A-Za-z0-9])xapp-[\w-]{10,}/g },
  { kind: "telegram-token", hint: ":", pattern: /(?<!\d)\d{6,12}:[\w-]{30,64}(?![\w-])/g },
  { kind: "discord-token", hint: ".", pattern: /(?<![\w-])[MNO][\w-]{22,30}\.[\w-]{6,7}\.[\w-]{27,64}(?![\w-])/g },
  { kind: "discord-token", hint: "mfa.", pattern: /(?<![\w-])mfa\.[\w-]{60,100}/g },
  { kind: "aws-key", hint: /AKIA|ASIA/, pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    kind: "aws-secret",
    hint: /secret/i,
    pattern: /(aws[\w-]{0,20}secret[\w-]{0,20}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
    keep: "$1%",
  },
  { kind: "google-key", hint: "AIza", pattern: /(?<![A-Za-z0-9])AIza[\w-]{35}/g },
  {
    kind: "github-token",
    hint: "gh",
    pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{40,255})/g,
  },
  {
    kind: "password",
    hint: /pass|pwd/i,
    pattern:
      /((?:password|passwd|passphrase|pwd)["']?[ \t]{0,4}(?:=[ \t]{0,4}(?=\S)|:[ \t]{0,4}(?=["'])))(?!["']?\[redacted:)(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"'&;,<>]{1,500})/gi,
    keep: "$1%",
  },
  {
    kind: "credential",
    hint: /key|secret|token/i,
    pattern:
      /((?:api[_-]?key|access[_-]?key|client[_-]?secret|secret|token)["']?[ \t]{0,4}[=:][ \t]{0,4}["']?)(?=[\w.~+/=-]{0,120}\d)[\w.~+/=-]{16,}/gi,
    keep: "$1%",
  },
];

/**
 * Makes a function that masks credentials as `[redacted:<kind>]` (`ST-7`, FC-178): first the configured `secrets` by
 * their exact value (6 characters or more, longest first) and their base64, hex, URL-encoded and JSON-escaped forms, also wrapped or with invisible characters inside, kind
 * `secret`; then known shapes of keys and tokens, bearer headers, `password=`, and user:password in URLs. Where the
 * shape has a name in front (`password=`, `Bearer`, the URL's scheme), the name stays.
 *
 * For views only: stored transcripts keep the true text (FC-179). Idempotent; linear in the length of the text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => Redacted {
  const exact = exactPattern(secrets);
  return (text) => {
    let result = exact === null ? text : text.replace(exact, "[redacted:secret]");
    for (const { kind, hint, pattern, keep } of PATTERNS) {
      const possible = typeof hint === "string" ? result.includes(hint) : hint.test(result);
      if (possible) result = result.replace(pattern, (keep ?? "%").replace("%", `[redacted:${kind}]`));
    }
    return { text: result, redacted: result !== text };
  };
}

/** Masks the configured `secrets` and nothing else, where a text must otherwise stay as it is: a tool's result. */
export function createSecretMask(secrets: readonly string[]): (text: string) => string {
  const exact = exactPattern(secrets);
  return exact === null ? (text) => text : (text) => text.replace(exact, "[redacted:secret]");
}

/** What may stand between two letters of a secret and is not seen, or is a wrapped line (FC-410). */
const GAP =
  "(?:[\\u00ad\\u034f\\u061c\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]|\\udb40[\\udc00-\\udfff]|\\r?\\n[ \\t]*)*";

function exactPattern(secrets: readonly string[]): RegExp | null {
  const forms = new Set(secrets.filter((secret) => secret.length >= MIN_SECRET).flatMap(encodedForms));
  if (forms.size === 0) return null;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => Array.from(form, escapeRegExp).join(GAP)).join("|"), "g");
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret, "utf8").toString("hex");
  return [hex, hex.toUpperCase()];
}

function encodedForms(secret: string): string[] {
  const wellFormed = secret.toWellFormed();
  const url = encodeURIComponent(wellFormed);
  return [
    secret,
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(wellFormed),
    ...hexForms(wellFormed),
  ].filter((form) => form.length >= MIN_SECRET);
}

/**
 * The secret inside base64 of a longer text (a Basic header holds `user:secret`) depends on its offset modulo three;
 * the characters that its neighbours can change are left off at both ends.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const forms: string[] = [];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const from = offset === 0 ? 0 : offset + 1;
    const to = (offset + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const core = encoded.slice(from, to);
    if (core.length >= MIN_SECRET) forms.push(core, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  const whole = bytes.toString("base64");
  return [whole, whole.replace(/=+$/, ""), bytes.toString("base64url"), ...forms];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
