/** Signs a delivery (`WEBHOOK_VECTORS` in the contract). */
import { createHmac } from "node:crypto";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";

/** @param at of this attempt, by the machine's clock: the exchange's may be ahead of the receiver's by days. */
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
