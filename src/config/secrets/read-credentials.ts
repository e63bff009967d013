/** Gets at what a signed request needs of a profile. */
import type { Secret } from "./secret.ts";

export interface Credentials {
  readonly apiKey: Secret;
  /** Base64 at the exchange that is specified; elsewhere as the exchange gives it, or a private key in PEM. */
  readonly apiSecret: Secret;
}

/**
 * Runs the commands at the first call, where the key comes from some, and gives the same answer ever after.
 * Rejects with a ConfigError when they fail, or when the signal fires.
 */
export interface ReadCredentials {
  (signal?: AbortSignal): Promise<Credentials>;
  /** Said where it signs by a private key, which not every exchange has. */
  readonly signsBy?: "private_key";
}
