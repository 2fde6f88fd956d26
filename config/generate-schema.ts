import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { channels } from "../adapters/index.ts";
import { configJsonSchema } from "./load/schema.ts";

/* Writes config/schema.json, what editors check a configuration with. Run it after a change of the schema. */
const target = fileURLToPath(new URL("./schema.json", import.meta.url));
writeFileSync(target, `${JSON.stringify(configJsonSchema(channels), null, 2)}\n`);
