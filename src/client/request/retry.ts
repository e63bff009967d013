/**
 * When a read is asked again, and after how long. Writes do not come here: they are sent once.
 *
 * Source: decisions §5 (retry rules).
 */
import type { Fault } from "../../contract/index.ts";

/** Tries of a read, the first included; refused nonces are counted apart. */
export const READ_TRIES = 4;
export const NONCE_RETRIES = 5;

const BACK_OFF_MS = 200;
const BACK_OFF_MAX_MS = 5_000;
const RATE_WAIT_MS = 1_000;

/**
 * @param tries how often the read was answered with something other than a refused nonce.
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
  if (fault.retry === "back_off" || isPassing(fault)) return Math.max(fault.retryAfterMs ?? 0, backOffMs);
  return undefined;
}

/** An unreadable answer may be a passing failure, unless its status says that the address is wrong. */
function isPassing({ code, status }: Fault): boolean {
  return code === "ELocal:Unreadable answer" && (status === undefined || status < 300 || status >= 500);
}
