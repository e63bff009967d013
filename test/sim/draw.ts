/** Seeded chance: one generator per concern, so that drawing more for one leaves the others as they were. */

/** mulberry32 over a state mixed from seed and concern. */
export class Draw {
  #state: number;

  constructor(seed: number, concern: string) {
    this.#state = hashOf(seed, concern);
  }

  /** 0 ≤ number < 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return scrambled(this.#state) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.fraction() * values.length)] as T;
  }

  /** One of the keys, as likely as its weight says. */
  by<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return (entries[0] as [K, number])[0];
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index++) {
      this.#state = (this.#state + 0x6d2b79f5) >>> 0;
      bytes[index] = scrambled(this.#state) & 0xff;
    }
    return bytes;
  }
}

/** FNV-1a over the concern, started from the seed. */
function hashOf(seed: number, concern: string): number {
  let hash = scrambled((seed ^ 0x811c9dc5) >>> 0) ^ Math.floor(seed / 2 ** 32);
  for (let index = 0; index < concern.length; index++) hash = Math.imul(hash ^ concern.charCodeAt(index), 0x01000193);
  return scrambled(hash >>> 0);
}

function scrambled(state: number): number {
  let mixed = state;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}
