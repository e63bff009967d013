/**
 * Seeded random integers (Chris Doty-Humphrey's sfc32).
 *
 * Invariant: the four words of its state are part of the exchange's snapshot, so a restored exchange draws the same numbers
 * as the stopped one would have.
 */
export type RandomWords = readonly [number, number, number, number];

const WARM_UP_ROUNDS = 12;

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(words: RandomWords) {
    [this.#a, this.#b, this.#c, this.#counter] = words;
  }

  static fromSeed(seed: number): Random {
    return Random.at(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
  }

  /** The numbers of one place among many, such as an hour of a market, whatever was drawn at others. Both of 32 bits. */
  static at(key: number, place: number): Random {
    const random = new Random([key, place, 0x9e3779b9, 1]);
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) random.#next();
    return random;
  }

  get words(): RandomWords {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  /** A number from 0 up to `limit - 1`. @param limit at most 2^32 */
  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  /** A number from -reach to reach; small values are more frequent, as it is the mean of four uniform draws. */
  around(reach: number): number {
    const draw = (): number => this.below(2 * reach + 1) - reach;
    return Math.trunc((draw() + draw() + draw() + draw()) / 4);
  }

  #next(): number {
    const sum = (((this.#a + this.#b) >>> 0) + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = ((((this.#c << 21) | (this.#c >>> 11)) >>> 0) + sum) >>> 0;
    return sum;
  }
}
