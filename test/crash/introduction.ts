import { vi } from "vitest";
import type { Place } from "./stage.ts";
import { movingWork } from "./store-view.ts";

/**
 * The place after a first exchange, which its answers leave out. Discord repeats nothing to a new process, and what was missed is
 * read only in conversations that have a session (IN-14), so the first words of a new one are not part of what is promised.
 */
export async function introduced(place: Place, folder: string): Promise<Place> {
  await place.says("Good day");
  const isAnswered = async (): Promise<boolean> =>
    (await place.answers()).length === 1 && Object.values(movingWork(folder)).every((count) => count === 0);
  await vi.waitUntil(isAnswered, { timeout: 30_000, interval: 20 });
  return { ...place, answers: async () => (await place.answers()).slice(1) };
}
