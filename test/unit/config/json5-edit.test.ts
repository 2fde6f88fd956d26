import fc from "fast-check";
import JSON5 from "json5";
import { expect, it } from "vitest";
import { addInText, setInText, type TextEdit, unsetInText } from "../../../config/edit/json5-edit.ts";
import { readConfigPath } from "../../../config/load/findings.ts";

const file = `// Ours.
{
  agents: {
    defaults: { model: "demo/switchyard" }, // the default
    entries: { main: { default: true } },
  },
  /* who may */
  commands: { ownerAllowFrom: ["telegram:1"] }, // Ann
  channels: {
    // a comment // with slashes
    web: { enabled: true }
    /* the end */
  }
}
`;

const textOf = (edit: TextEdit): string => ("text" in edit ? edit.text : `problem: ${edit.problem}`);

it("CM-15: a value is replaced in its place, and every comment stays where it was", () => {
  expect(textOf(setInText(file, ["agents", "defaults", "model"], "openai/gpt-5"))).toBe(
    file.replace("demo/switchyard", "openai/gpt-5"),
  );
});

it("CM-15: a new key goes to the end of its section, with the sections that are missing around it", () => {
  expect(textOf(setInText(file, ["channels", "telegram", "dmPolicy"], "open"))).toBe(
    file.replace(
      "{ enabled: true }\n    /* the end */",
      '{ enabled: true },\n    /* the end */\n    telegram: {dmPolicy:"open"},',
    ),
  );
  expect(textOf(setInText(file, ["commands", "config"], true))).toContain(
    'commands: { ownerAllowFrom: ["telegram:1"], config: true }, // Ann',
  );
  expect(textOf(setInText("{}", ["a b", "c"], 1))).toBe('{ "a b": {c:1} }');
});

it("CM-15: one more goes to the end of a list, also of one with comments, and makes the list where nothing is set", () => {
  expect(textOf(addInText(file, ["commands", "ownerAllowFrom"], "slack:U1"))).toBe(
    file.replace('["telegram:1"]', '["telegram:1", "slack:U1"]'),
  );
  expect(textOf(addInText(file, ["commands", "adminAllowFrom"], "slack:U1"))).toContain('adminAllowFrom: ["slack:U1"]');
  const wide = '{ list: [\n    "a" // first\n  ], none: [] }';
  const more = textOf(addInText(wide, ["list"], { b: 1 }));
  expect(more).toBe('{ list: [\n    "a", // first\n    {b:1},\n  ], none: [] }');
  expect(textOf(addInText(more, ["none"], 1))).toContain("none: [1] }");
  expect(textOf(addInText(file, ["channels", "web"], "x"))).toBe("problem: This is not a list.");
});

it("CM-15: whatever is added to whatever list, the file says it then", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 4 }), fc.jsonValue(), fc.boolean(), (list, value, wide) => {
      const text = JSON5.stringify({ before: 1, list, after: 2 }, wide ? { space: 2 } : {});
      const wanted = JSON5.parse(JSON5.stringify({ before: 1, list: [...list, value], after: 2 }));
      expect(JSON5.parse(textOf(addInText(text, ["list"], value)))).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
});

it("CM-15: what is taken out takes its line along and nothing else", () => {
  expect(textOf(unsetInText(file, ["agents", "entries"]))).toBe(
    file.replace("\n    entries: { main: { default: true } },", ""),
  );
  expect(textOf(unsetInText(file, ["agents", "defaults"]))).toContain("  agents: {\n    // the default\n");
});

it("CM-15: what would lose comments, or is not there, is refused", () => {
  expect(textOf(setInText(file, ["agents"], {}))).toMatch(/^problem: .*comments/);
  expect(textOf(unsetInText(file, ["channels"]))).toMatch(/^problem: .*comments/);
  expect(textOf(unsetInText(file, ["http"]))).toBe("problem: It is not set.");
  expect(textOf(setInText(file, ["commands", "ownerAllowFrom", 3], "x"))).toMatch(
    /^problem: The file has no such path/,
  );
});

it("CM-15: paths are dotted, with brackets for keys that have dots", () => {
  expect(readConfigPath('channels.telegram.groups["-100.5"].topics')).toEqual([
    "channels",
    "telegram",
    "groups",
    "-100.5",
    "topics",
  ]);
  expect(readConfigPath("bindings[0].agentId")).toEqual(["bindings", 0, "agentId"]);
  for (const wrong of ["a..b", "a b]", 'a["x', ".", "__proto__.x"]) expect(readConfigPath(wrong), wrong).toBeNull();
});

it("CM-15: whatever is set in whatever file, the file says it then and everything else as before", () => {
  const key = fc.oneof(
    fc.constantFrom("a", "b", "c", "\\'", '\\"'),
    fc.string().filter((text) => text !== "__proto__"),
  );
  const { tree } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue({ maxDepth: 0 }),
      tie("tree"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
    tree: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(
      tree,
      fc.array(key, { minLength: 1, maxLength: 3 }),
      fc.jsonValue(),
      fc.boolean(),
      (whole, path, value, wide) => {
        const text = JSON5.stringify(whole, wide ? { space: 2 } : {});
        const edit = setInText(text, path, value);
        if ("problem" in edit) return;
        const wanted = JSON5.parse(text);
        let at = wanted;
        for (const part of path.slice(0, -1)) {
          if (!Object.hasOwn(at, part)) at[part] = {};
          at = at[part];
        }
        at[path.at(-1) ?? ""] = JSON5.parse(JSON5.stringify(value));
        expect(JSON5.parse(edit.text)).toEqual(wanted);
        const back = unsetInText(edit.text, path);
        if ("problem" in back) throw new Error(back.problem);
        delete at[path.at(-1) ?? ""];
        expect(JSON5.parse(back.text)).toEqual(wanted);
      },
    ),
    { numRuns: 300 },
  );
});
