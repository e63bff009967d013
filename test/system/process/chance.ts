/** Seeded chance, so that a run can be repeated. */

export interface Chance {
  /** At least 0, below 1. */
  (): number;
  readonly seed: number;
}

/** The seed is printed; HOGA_TEST_SEED repeats it. */
export function seeded(name: string): Chance {
  const seed = Number(process.env["HOGA_TEST_SEED"] ?? Date.now() % 1_000_000_000);
  process.stderr.write(`${name}: HOGA_TEST_SEED=${seed}\n`);
  return chance(seed);
}

/** Mulberry32. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Object.assign(next, { seed });
}
