import type { Dose, Ends, FaultName, FaultPlays } from "../support/emulators/fault-model.ts";

/** Begins a fault by the platform's own play of it. Rejects where the platform cannot do that. */
export async function begins<Emulator>(
  plays: FaultPlays<Emulator>,
  fault: FaultName,
  emulator: Emulator,
  dose: Dose,
): Promise<Ends> {
  const play = plays[fault];
  if ("cannot" in play) throw new Error(`${fault}: ${play.cannot}`);
  return play.begins(emulator, dose);
}
