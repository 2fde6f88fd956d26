import { expect, it } from "vitest";
import { auditDependencies } from "./dependencies.ts";

it("security: every production package has an allowed licence and no unknown install script", () => {
  const { packages, licences, scripts } = auditDependencies();
  expect(packages).toBeGreaterThan(20);
  expect({ licences, scripts }).toEqual({ licences: [], scripts: [] });
});

it("security: a licence or an install script that is not allowed is named", () => {
  const audit = auditDependencies({
    packages: {
      "": {},
      "node_modules/a": { license: "MIT" },
      "node_modules/b": { license: "GPL-3.0" },
      "node_modules/c": { license: "(MIT OR GPL-3.0)" },
      "node_modules/d": { license: "MIT AND GPL-3.0" },
      "node_modules/e": { license: "GPL-3.0", dev: true },
      "node_modules/a/node_modules/@x/f": { license: "ISC", hasInstallScript: true },
      "node_modules/g": {},
    },
  });
  expect(audit).toEqual({
    packages: 6,
    licences: ["b: GPL-3.0", "d: MIT AND GPL-3.0", "g: unknown"],
    scripts: ["@x/f"],
  });
});
