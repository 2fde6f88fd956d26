import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/text/redact.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const redact = createRedactor([]);
const part = (length: number, alphabet = "a1B2c3D4e5F6g7H8i9J0"): string => alphabet.repeat(20).slice(0, length);

describe("ST-7, FC-178: shapes of credentials", () => {
  it.each([
    [`key sk-${part(24)} end`, "key [redacted:api-key] end"],
    [`sk-proj-${part(30)}_x`, "[redacted:api-key]"],
    [`xoxb-12345-${part(24)}`, "[redacted:slack-token]"],
    [`xoxp-${part(24)}`, "[redacted:slack-token]"],
    [`xapp-1-A1-${part(30)}`, "[redacted:slack-token]"],
    [`bot 123456789:${part(35)} ok`, "bot [redacted:telegram-token] ok"],
    [
      `https://api.telegram.org/bot123456789:${part(35)}/getMe`,
      "https://api.telegram.org/bot[redacted:telegram-token]/getMe",
    ],
    [`M${part(23)}.${part(6)}.${part(27)}`, "[redacted:discord-token]"],
    [`Authorization: Bearer ${part(30)}`, "Authorization: Bearer [redacted:bearer]"],
    [`Authorization: Basic ${part(20)}==`, "Authorization: Basic [redacted:bearer]"],
    [`eyJ${part(20)}.eyJ${part(20)}.${part(20)}`, "[redacted:jwt]"],
    ["AKIAABCDEFGHIJKLMNOP", "[redacted:aws-key]"],
    [`aws_secret_access_key = ${part(40)}`, "aws_secret_access_key = [redacted:aws-secret]"],
    [`AIza${part(35)}`, "[redacted:google-key]"],
    [`ghp_${part(36)}`, "[redacted:github-token]"],
    ["password=hunter2&x=1", "password=[redacted:password]&x=1"],
    ["DB_PASSWORD=hunter2", "DB_PASSWORD=[redacted:password]"],
    ['{"password": "hun ter"}', '{"password": [redacted:password]}'],
    ["postgres://app:s3cret@db:5432/x", "postgres://[redacted:url-credentials]@db:5432/x"],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- x", "[redacted:private-key] x"],
    ["-----BEGIN PRIVATE KEY-----\ncut off", "[redacted:private-key]"],
    [`api_key: ${part(20)}`, "api_key: [redacted:credential]"],
  ])("ST-7: %s", (text, masked) => {
    expect(redact(text)).toEqual({ text: masked, redacted: true });
    expect(redact(masked)).toEqual({ text: masked, redacted: false });
  });

  it.each([
    "The password: it is in your mail",
    "task-management and risk-assessment-of-things",
    "max_tokens=4096, token: none",
    "see https://example.org:8080/a@b and user@example.org",
    "at 12:30 the bearer of bad news came",
    "a.b.c and 10:20:30",
  ])("ST-7: %j is unchanged", (text) => {
    expect(redact(text)).toEqual({ text, redacted: false });
  });
});

describe("ST-7: configured secrets", () => {
  const secret = "correct horse/battery+staple";
  const masked = createRedactor([secret, "tiny"]);
  it.each([
    ["as it is", secret],
    ["URL-encoded", encodeURIComponent(secret)],
    ["form-encoded", encodeURIComponent(secret).replaceAll("%20", "+")],
    ["base64", Buffer.from(secret).toString("base64")],
    ["base64url", Buffer.from(secret).toString("base64url")],
  ])("ST-7: masked %s", (_name, text) => {
    expect(masked(`<${text}>`)).toEqual({ text: "<[redacted:secret]>", redacted: true });
  });
  it.each(["", "u", "us"])("ST-7: masked inside base64 of a longer text (%j in front)", (user) => {
    const header = Buffer.from(`${user}:${secret}:more`).toString("base64");
    expect(masked(header).text).toContain("[redacted:secret]");
  });
  it("ST-7: too short a secret masks nothing, and the longer of two wins", () => {
    expect(masked("tiny").redacted).toBe(false);
    expect(createRedactor(["abcdef", "abcdefgh"])("abcdefgh").text).toBe("[redacted:secret]");
  });
});

it.each([
  "eyJ",
  "sk-",
  "://",
  "a:",
  "password=",
  "-----BEGIN PRIVATE KEY-----",
  "M.",
  "token",
  "Bearer ",
  "0123456789",
  "xoxb-",
])("ST-7: takes linear time on a megabyte of %j", (unit) => {
  const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
  const spent = cpuMs(() => redact(text));
  // Measured below 100 ms; quadratic work would take minutes.
  expect(spent).toBeLessThan(5_000);
});
