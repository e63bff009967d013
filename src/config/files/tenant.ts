/**
 * Owns what a tenant is called, and what the settings know of one: whoever is served beside the operator, with a directory and a store of
 * its own, in which nothing of another's is.
 *
 * Source: decision 0040.
 */
import type { ReadCredentials } from "../secrets/read-credentials.ts";

export interface Tenant {
  readonly name: string;
  /** Names a profile of the operator's settings, without a key. */
  readonly profile: string;
  /** Its own key; absent where it has none. */
  readonly credentials?: ReadCredentials;
}

/** It names a directory and, with each hyphen as an underscore, a schema: no two names are one there. */
const NAME = /^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

export function isTenantName(text: string): boolean {
  return NAME.test(text);
}
