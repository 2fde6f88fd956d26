import { createServer } from "node:net";
import type { DoctorFinding } from "../../channel/descriptor.ts";
import type { Settings } from "../../core/settings.ts";

/** The page's port can be taken; while Switchyard runs it is taken by itself (OP-6). */
export async function checkPort(
  { host, port }: Settings["http"],
  isRunning: boolean,
): Promise<readonly DoctorFinding[]> {
  const subject = "port";
  const place = `${host}:${port}`;
  if (isRunning)
    return [{ level: "ok", subject, message: `in use by the Switchyard that runs on this store`, fix: null }];
  const problem = await listenProblem(host, port);
  if (problem === null) return [{ level: "ok", subject, message: `${place} is free`, fix: null }];
  return [
    {
      level: "error",
      subject,
      message: `${place} cannot be used: ${problem}`,
      fix: "Choose another with http.port, --port or SWITCHYARD_PORT; 0 takes any free one.",
    },
  ];
}

function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "EADDRINUSE" ? "another program uses it" : error.message),
    );
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
