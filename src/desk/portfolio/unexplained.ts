/**
 * Holds what of the balances the fills do not explain: what came without one, less what went. Pure. Entry point: `RunningUnexplained`.
 *
 * Invariant: exact; each balance is held against the fills before it.
 * Source: decision 0088.
 */
import { Fraction } from "../../decimal/index.ts";
import type { BalanceSighting, LedgerFill } from "../ports/fill-ledger.ts";
import { movementsOf } from "./movements.ts";

export interface Unexplained {
  /** When the account was first seen. Unix milliseconds. */
  readonly sinceMs: number;
  /** Keyed by asset; what is not in it: nothing. */
  readonly atFirst: ReadonlyMap<string, Fraction>;
  readonly last: ReadonlyMap<string, Fraction>;
  /**
   * Names the coins of which some that were bought went while there were fills, too: before or after which is not known. When that was seen
   * last, Unix milliseconds.
   */
  readonly unsure: ReadonlyMap<string, number>;
}

/** The JSON of it. */
export interface UnexplainedState {
  readonly sinceMs: number | undefined;
  readonly atFirst: readonly (readonly [asset: string, by: string])[];
  readonly last: readonly (readonly [asset: string, by: string])[];
  readonly unsure: readonly (readonly [asset: string, atMs: number])[];
  readonly filled: readonly (readonly [asset: string, atMs: number])[];
}

export class RunningUnexplained {
  #sinceMs: number | undefined;
  readonly #atFirst: Map<string, Fraction>;
  readonly #last: Map<string, Fraction>;
  readonly #unsure: Map<string, number>;
  /** Holds, by asset, the time of the last fill that moved it. */
  readonly #filled: Map<string, number>;

  constructor(state: UnexplainedState | undefined) {
    this.#sinceMs = state?.sinceMs;
    this.#atFirst = exacts(state?.atFirst);
    this.#last = exacts(state?.last);
    this.#unsure = new Map(state?.unsure);
    this.#filled = new Map(state?.filled);
  }

  enter(fill: LedgerFill): void {
    for (const { asset } of movementsOf(fill)) this.#filled.set(asset, fill.atMs);
  }

  see({ asset, total, atMs, sinceMs = 0 }: BalanceSighting, moved: Fraction): void {
    this.#sinceMs ??= atMs;
    const now = Fraction.of(total).minus(moved);
    const before = this.#last.get(asset) ?? Fraction.ZERO;
    const isGone = now.cmp(before) < 0 && now.isNegative();
    if (isGone && (this.#filled.get(asset) ?? 0) > sinceMs) this.#unsure.set(asset, atMs);
    if (this.#sinceMs === atMs) this.#atFirst.set(asset, now);
    this.#last.set(asset, now);
  }

  totals(): Unexplained | undefined {
    if (this.#sinceMs === undefined) return undefined;
    const [atFirst, last, unsure] = [new Map(this.#atFirst), new Map(this.#last), new Map(this.#unsure)];
    return { sinceMs: this.#sinceMs, atFirst, last, unsure };
  }

  toState(): UnexplainedState {
    return {
      sinceMs: this.#sinceMs,
      atFirst: textsOf(this.#atFirst),
      last: textsOf(this.#last),
      unsure: [...this.#unsure],
      filled: [...this.#filled],
    };
  }
}

export function textsOf(figures: ReadonlyMap<string, Fraction>): readonly (readonly [asset: string, figure: string])[] {
  return [...figures].map(([asset, figure]) => [asset, figure.exactText()]);
}

export function exacts(texts: readonly (readonly [asset: string, figure: string])[] = []): Map<string, Fraction> {
  return new Map(texts.map(([asset, figure]) => [asset, Fraction.ofExactText(figure)]));
}
