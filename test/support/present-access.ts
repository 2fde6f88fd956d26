import type { PresentAccessOf } from "../../src/core/session/present-access.ts";

/** For tests of other things: every sender may still do what they could when the input came. */
export const asStored: PresentAccessOf = ({ rights }) => ({ admitted: true, role: rights.role, commandsDenied: null });
