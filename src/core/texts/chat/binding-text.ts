import type { RenderedPiece } from "../../delivery/delivery.ts";
import { assertNever } from "../../runtime.ts";
import type { BindingEnd } from "../../session/binding.ts";

/**
 * The fixed sentences about bound places. They hold only letters, digits, commas and full stops, which every platform's
 * format shows as they are, so a step can write them without a renderer.
 */
function fixed(text: string): RenderedPiece {
  return { rich: text, plain: text };
}

/**
 * The line that says in the place itself that it is bound no more (TB-6); null: nobody could read it, or writing it would
 * open an archived thread again.
 */
export function farewell(why: BindingEnd): RenderedPiece | null {
  switch (why) {
    case "idle":
      return fixed("This thread is released, because nothing was written here for a while.");
    case "max_age":
      return fixed("This thread is released, because its time is over.");
    case "locked":
      return fixed("This thread is locked and released until it is open again.");
    case "replaced":
      return fixed("This thread is released, because its session has moved to another place.");
    case "run_ended":
      return fixed("This thread is not needed any more. Its sub-agent has ended before it began.");
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
export const THREAD_NOT_MADE = fixed("The thread could not be made, so nothing is bound.");
