import type { Renderer } from "../channel/capabilities.ts";
import { plainText } from "../core/text/plain-text.ts";

/**
 * For a conversation whose account is gone or not loaded yet: the row is written all the same and settles where the
 * operator sees it (CP-4). Within the smallest limit of any platform.
 */
export const PLAIN_RENDERER: Renderer = {
  maxLength: 2_000,
  render: (nodes) => {
    const plain = plainText(nodes);
    return { rich: plain, plain, length: plain.length };
  },
};
