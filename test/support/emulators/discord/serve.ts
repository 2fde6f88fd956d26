import { serveProcess } from "../serve-process.ts";
import { OPERATIONS } from "./control.ts";
import { startDiscordEmulator } from "./emulator.ts";

await serveProcess({ start: startDiscordEmulator, url: ({ apiUrl }) => apiUrl, operations: OPERATIONS });
