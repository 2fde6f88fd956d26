import { serveProcess } from "../serve-process.ts";
import { OPERATIONS } from "./control.ts";
import { startTelegramEmulator } from "./emulator.ts";

await serveProcess({ start: startTelegramEmulator, url: ({ apiRoot }) => apiRoot, operations: OPERATIONS });
