/**
 * Generates order ids: UUIDv7, so that ids sort by time. Entry point: `orderIds`.
 *
 * Invariant: within a process every id is larger than the one before, also when the clock stands still or is set back.
 * Source: service.md#order-ids.
 */
import type { Millis } from "../model/index.ts";

export type RandomBytes = (count: number) => Uint8Array;

/** RFC 9562, method 1: the 12 bits after the time are a counter that starts at a random value well below its maximum. */
const COUNTER_MAX = 0xfff;
const COUNTER_SEED = 0x3ff;
const TAIL_BYTES = 8;
const POOL_BYTES = 200 * (TAIL_BYTES + 2);

/** @returns a generator of ids; one per process. */
export function orderIds(now: () => Millis, randomBytes: RandomBytes): () => string {
  let time = 0;
  let counter = 0;
  let pool = Buffer.alloc(0);
  const draw = (count: number): Buffer => {
    // One large draw is cheaper than many small ones.
    if (pool.length < count) pool = Buffer.from(randomBytes(POOL_BYTES));
    const drawn = pool.subarray(0, count);
    pool = pool.subarray(count);
    return drawn;
  };
  return () => {
    const clock = now();
    if (clock > time) {
      time = clock;
      counter = draw(2).readUInt16BE() & COUNTER_SEED;
    } else if (counter < COUNTER_MAX) counter++;
    else {
      time++;
      counter = 0;
    }
    return uuidOf(time, counter, draw(TAIL_BYTES));
  };
}

function uuidOf(time: Millis, counter: number, tail: Buffer): string {
  const head = time.toString(16).padStart(12, "0");
  const hex = tail.toString("hex");
  const variant = ((tail.readUInt8(0) & 0x3f) | 0x80).toString(16);
  const middle = counter.toString(16).padStart(3, "0");
  return `${head.slice(0, 8)}-${head.slice(8)}-7${middle}-${variant}${hex.slice(2, 4)}-${hex.slice(4)}`;
}
