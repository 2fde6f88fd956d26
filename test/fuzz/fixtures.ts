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

/** The event with the id of what it brings changed: the one in the part below the envelope, not those of what that mentions. */
export function withIds(event: Json, change: (id: Json) => Json, key: string): Json {
  if (event === null || typeof event !== "object" || Array.isArray(event)) return event;
  const parts = Object.entries(event).map(([name, part]): [string, Json] => {
    const isPart = part !== null && typeof part === "object" && !Array.isArray(part);
    return [name, isPart && key in part ? { ...part, [key]: change(part[key] ?? null) } : part];
  });
  return Object.fromEntries(parts);
}
