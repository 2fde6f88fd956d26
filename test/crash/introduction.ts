import { vi } from "vitest";
import type { Place } from "./stage.ts";
import { movingWork } from "./store-view.ts";

/**
 * The place after a first exchange, which its answers leave out. How the very first words of a conversation are found again is
 * another way than that of all later ones (IN-14), and has its own tests: `first-message.test.ts`, `missed-direct.test.ts`.
 */
export async function introduced(place: Place, folder: string): Promise<Place> {
  await place.says("Good day");
  const isAnswered = async (): Promise<boolean> =>
    (await place.answers()).length === 1 && Object.values(movingWork(folder)).every((count) => count === 0);
  await vi.waitUntil(isAnswered, { timeout: 30_000, interval: 20 });
  return { ...place, answers: async () => (await place.answers()).slice(1) };
}
