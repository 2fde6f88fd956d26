import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The model emulator in a process of its own; it answers at 0 ms. End it with `child.kill()`. */
export async function startModel(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const serve = fileURLToPath(new URL("../test/support/emulators/model/serve.ts", import.meta.url));
  const child = spawn(process.execPath, [serve], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const stdout = child.stdout;
  if (stdout === null) throw new Error("the model emulator has no output");
  for await (const line of createInterface({ input: stdout }))
    return { url: (JSON.parse(line) as { url: string }).url, child };
  throw new Error("the model emulator did not start");
}
