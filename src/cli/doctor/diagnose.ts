import type { LoadedConfig } from "../../../config/load/load.ts";
import type { DoctorFinding } from "../../channel/descriptor.ts";
import { ConfigError } from "../../core/errors.ts";
import { accountName } from "../../core/ids.ts";
import type { Settings } from "../../core/settings.ts";
import { BUILT_IN_DEFAULTS } from "../../core/texts/cli/answers.ts";
import { checkFailed, fine, keyProblem, SUBJECT } from "../../core/texts/cli/doctor.ts";
import { connectControl } from "../control/client.ts";
import type { CliDeps } from "../deps.ts";
import type { Invocation } from "../invocation.ts";
import { checkClock, checkDisk, checkPort, checkStore } from "./machine.ts";
import { checkServers } from "./mcp-servers.ts";
import { checkCalls } from "./model-calls.ts";
import { checkLearnt, checkModels } from "./models.ts";

/** How long one check may wait for a server. */
const PATIENCE_MS = 10_000;
/** How long the calls to the models of one provider may take together: a local server loads each of them first. */
const CALLS_MS = 90_000;

/** Everything a run depends on, each with its fix (OP-5). Configuration faults end it: nothing else can be checked then. */
export async function diagnose(
  call: Invocation,
  { calls }: { readonly calls: boolean },
): Promise<readonly DoctorFinding[]> {
  let loaded: LoadedConfig;
  try {
    loaded = await call.load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => ({
      level: "error",
      subject: SUBJECT.configuration,
      message: keyProblem(fault.path, fault.problem),
      fix: fault.remedy,
    }));
  }
  const { settings } = loaded;
  const isRunning = (await connectControl(settings.store.dataDir)) !== null;
  const parts = await Promise.all([
    configFindings(loaded),
    checkStore(settings, await call.deps.storeFiles()),
    checkDisk(settings.store.dataDir),
    checkClock(call.deps.clock),
    checkPort(settings.http, isRunning),
    checkModels(settings, {
      signal: () => AbortSignal.timeout(PATIENCE_MS),
      call: calls ? checkCalls({ settings, clock: call.deps.clock, withinMs: CALLS_MS }) : null,
    }),
    checkLearnt(settings, call.deps),
    checkServers(settings, call.deps.version, PATIENCE_MS),
    channelFindings(settings, call.deps),
  ]);
  return parts.flat();
}

function configFindings({ warnings, notes, sourcePath }: LoadedConfig): readonly DoctorFinding[] {
  const source = sourcePath ?? BUILT_IN_DEFAULTS;
  return [
    { level: "ok", subject: SUBJECT.configuration, ...fine(source) },
    ...notes.map(
      ({ path, problem }): DoctorFinding => ({
        level: "ok",
        subject: SUBJECT.configuration,
        ...fine(keyProblem(path, problem)),
      }),
    ),
    ...warnings.map(
      (warning): DoctorFinding => ({
        level: "warning",
        subject: SUBJECT.configuration,
        message: keyProblem(warning.path, warning.problem),
        fix: warning.remedy,
      }),
    ),
  ];
}

async function channelFindings(settings: Settings, { catalog }: CliDeps): Promise<readonly DoctorFinding[]> {
  const found = await Promise.all(
    settings.accounts.map(async (account): Promise<readonly DoctorFinding[]> => {
      const descriptor = catalog.channels.find((entry) => entry.channel === account.channel);
      try {
        return (await descriptor?.doctor(account, AbortSignal.timeout(PATIENCE_MS))) ?? [];
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return [{ level: "error", subject: accountName(account), ...checkFailed(message) }];
      }
    }),
  );
  return found.flat();
}
