/**
 * Owns the signature of a delivery. The contract's `WEBHOOK_VECTORS` are its examples.
 *
 * Source: service.md#webhook-signature.
 */
import { createHmac } from "node:crypto";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";

/** @param at time of this attempt by the machine's clock: the exchange's may be days ahead of the receiver's. */
export function signedHeaders(secret: string, id: string, at: Millis, body: string): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `v1,${signature}`,
  };
}
