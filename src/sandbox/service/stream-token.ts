/**
 * The tokens that open the private channels of the stream: random, short-lived, kept in memory only, as a restart ends all
 * connections. Entry point: `streamTokens`.
 *
 * Invariant: a token is valid on one connection; whoever finds it later cannot use it on another.
 * Source: service.md#stream-token, service.md#v1-stream-token.
 */
import type { Millis } from "../model/index.ts";
import type { RandomBytes } from "./order-id.ts";

export interface StreamTokenHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly expiresAt: Millis;
}

export interface StreamTokens {
  issue(keyId: string, accountId: string, at: Millis): { readonly token: string; readonly expiresAt: Millis };
  /** The holder of a token; undefined when the token is unknown, has expired, or was used by another connection. */
  holder(token: string, connection: object, at: Millis): StreamTokenHolder | undefined;
}

const TOKEN_BYTES = 32;

export function streamTokens(randomBytes: RandomBytes, ttlMs: Millis): StreamTokens {
  // In order of insertion, which is the order of expiry.
  const issued = new Map<string, StreamTokenHolder>();
  const usedBy = new WeakMap<StreamTokenHolder, object>();
  const dropExpired = (at: Millis): void => {
    for (const [token, { expiresAt }] of issued) {
      if (expiresAt > at) return;
      issued.delete(token);
    }
  };
  return {
    issue(keyId, accountId, at) {
      dropExpired(at);
      const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
      const expiresAt = at + ttlMs;
      issued.set(token, { keyId, accountId, expiresAt });
      return { token, expiresAt };
    },
    holder(token, connection, at) {
      const found = issued.get(token);
      if (found === undefined || found.expiresAt <= at) return undefined;
      const user = usedBy.get(found);
      if (user === undefined) usedBy.set(found, connection);
      return user === undefined || user === connection ? found : undefined;
    },
  };
}
