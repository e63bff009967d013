/**
 * The signature of a private call. It agrees with the service at the published test vectors (`SIGNING_VECTORS`), not by
 * sharing code with it.
 *
 * Source: service.md#signature.
 */
import { createHmac, hash } from "node:crypto";

/**
 * `base64( HMAC-SHA512( secret, prefix || SHA256( nonce || body ) ) )`.
 * @param prefix `METHOD path-with-query` exactly as in the request line (Trading API: the path alone).
 * @param nonce decimal text; travels in `API-Nonce`.
 * @param body the raw body, `""` when there is none.
 * @param secret the secret's decoded bytes.
 */
export function sign(prefix: string, nonce: string, body: string, secret: Uint8Array): string {
  const inner = hash("sha256", nonce + body, "buffer");
  return createHmac("sha512", secret).update(prefix).update(inner).digest("base64");
}
