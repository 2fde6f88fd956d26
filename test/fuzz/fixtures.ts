import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "./mutate.ts";

export interface Shape {
  readonly name: string;
  readonly value: Json;
}

/** The recorded events of a platform, with the ids of whoever takes part exchanged for those of the emulator's people. */
export function shapesOf(platform: "discord" | "slack" | "telegram", ids: Readonly<Record<string, string>>): Shape[] {
  const folder = fileURLToPath(new URL(`../adapters/${platform}/fixtures/`, import.meta.url));
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      let text = readFileSync(`${folder}${name}`, "utf8");
      for (const [old, own] of Object.entries(ids)) text = text.replaceAll(old, own);
      return { name, value: JSON.parse(text) as Json };
    });
}
