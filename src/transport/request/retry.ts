/**
 * When a read is retried, and after how long. Writes are sent once and do not come here.
 *
 * Source: service.md#retry-never, service.md#retry-rate, service.md#retry-nonce, service.md#retry-backoff.
 */
import type { Fault } from "../../contract/index.ts";

/** Tries of a read, the first included; refused nonces are counted separately. */
export const READ_TRIES = 4;
export const NONCE_RETRIES = 5;

const BACK_OFF_MS = 200;
const BACK_OFF_MAX_MS = 5_000;
const RATE_WAIT_MS = 1_000;

/**
 * @param tries attempts so far that did not end with a refused nonce.
 * @param nonceRefusals how often its nonce was refused.
 * @param random 0 ≤ random < 1, for jitter.
 * @returns milliseconds to wait, or undefined when the fault is final.
 */
export function retryDelayMs(fault: Fault, tries: number, nonceRefusals: number, random: number): number | undefined {
  if (fault.retry === "new_nonce") return nonceRefusals <= NONCE_RETRIES ? 0 : undefined;
  if (tries >= READ_TRIES) return undefined;
  const backOffMs = Math.min(BACK_OFF_MS * 2 ** (tries - 1), BACK_OFF_MAX_MS) * (0.5 + random / 2);
  if (fault.retry === "after_delay" || fault.status === 429)
    return (fault.retryAfterMs ?? RATE_WAIT_MS) + backOffMs / 4;
  if (fault.retry === "back_off" || isTemporary(fault)) return Math.max(fault.retryAfterMs ?? 0, backOffMs);
  return undefined;
}

/** An unreadable answer may be a temporary failure, unless its status says that the address is wrong. */
function isTemporary({ code, status }: Fault): boolean {
  return code === "ELocal:Unreadable answer" && (status === undefined || status < 300 || status >= 500);
}
