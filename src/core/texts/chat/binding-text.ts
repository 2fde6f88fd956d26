import type { RenderedPiece } from "../../delivery/delivery.ts";
import { assertNever } from "../../runtime.ts";
import type { BindingEnd } from "../../session/binding.ts";

/**
 * Fixed sentences about linked threads. They use only letters, digits, commas and full stops, which every platform shows as
 * they are; with anything else a step would need the platform's renderer.
 */
function fixed(text: string): RenderedPiece {
  return { rich: text, plain: text };
}

/**
 * The line that says in a thread that its session is no longer linked (TB-6); null: nobody could read it, or writing it
 * would open an archived thread again.
 */
export function farewell(why: BindingEnd): RenderedPiece | null {
  switch (why) {
    case "idle":
      return fixed("This thread is no longer linked to its session, because nobody wrote here for a while.");
    case "max_age":
      return fixed("This thread is no longer linked to its session, because the link reached its maximum age.");
    case "locked":
      return fixed("This thread is locked. Its session continues here when the thread is unlocked.");
    case "replaced":
      return fixed("This thread is no longer linked to its session, because the session moved to another thread.");
    case "run_ended":
      return fixed("This thread is no longer needed. Its sub-agent ended before it started.");
    case "archived":
    case "deleted":
    case "bot_removed":
    case "gone":
    case "unbound":
    case "not_created":
      return null;
    default:
      return assertNever(why);
  }
}

/** What a person reads whose `/focus` was to make a thread. */
export const THREAD_NOT_MADE = fixed("The thread could not be created, so no session is linked.");
