/** Tells how long to wait before trying again: exponential, jittered, within the contract's bounds. */
import { STREAM_LIMITS } from "../../contract/index.ts";

const { reconnectMinMs, reconnectMaxMs } = STREAM_LIMITS;

/**
 * @param failures in a row, 1 or more.
 * @param random 0 ≤ random < 1; spreads the clients that lost the connection at the same time.
 */
export function backOffMs(failures: number, random: number): number {
  const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(failures, 16));
  return Math.round(reconnectMinMs + (longest - reconnectMinMs) * random);
}
