import { serveProcess } from "../serve-process.ts";
import { OPERATIONS } from "./control.ts";
import { startSlackEmulator } from "./emulator.ts";

await serveProcess({ start: startSlackEmulator, url: ({ apiUrl }) => apiUrl, operations: OPERATIONS });
