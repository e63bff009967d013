/** The name that a key goes by outside of the request's headers. Source: architecture.md#rule-9. */
import { createHash } from "node:crypto";

const NAME_LETTERS = 32;

/** In logs and in the store: the same for the same key, and the key cannot be computed from it. */
export function keyName(apiKey: string): string {
  return createHash("sha256").update(`hoga key ${apiKey}`).digest("hex").slice(0, NAME_LETTERS);
}
