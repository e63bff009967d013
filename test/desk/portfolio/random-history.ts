/** What might have happened to an account: fills, deposits and withdrawals of several coins, which its balances allow. */
import type { LedgerFill } from "../../../src/desk/index.ts";
import type { NaiveFill } from "./naive-model.ts";

const ONE = 100_000_000n;
export const COINS = ["BTC", "ETH", "XRP"] as const;

export interface History {
  readonly fills: readonly NaiveFill[];
  /** What came without a fill, less what went without one. */
  readonly moved: ReadonlyMap<string, bigint>;
  readonly balances: ReadonlyMap<string, bigint>;
}

/** @param next from 0 to 1; @param count of fills */
export function randomHistory(next: () => number, count: number): History {
  const below = (limit: bigint): bigint => (BigInt(Math.floor(next() * 1_000_000)) * limit) / 1_000_000n; // not money: a draw
  const balances = new Map<string, bigint>([
    ["KRW", 1_000_000_000n * ONE],
    ...COINS.map((coin): [string, bigint] => [coin, 0n]),
  ]);
  const moved = new Map<string, bigint>();
  const book = (asset: string, by: bigint): void => void balances.set(asset, (balances.get(asset) ?? 0n) + by);
  const move = (asset: string, by: bigint): void => {
    book(asset, by);
    moved.set(asset, (moved.get(asset) ?? 0n) + by);
  };
  const fills: NaiveFill[] = [];
  for (let atMs = 1_000; fills.length < count; atMs += 1_000) {
    const asset = COINS[Math.floor(next() * COINS.length)] ?? "BTC";
    const held = balances.get(asset) ?? 0n;
    const kind = next();
    if (kind < 0.02) move(asset, below(3n * ONE) + 1n);
    else if (kind < 0.04) move(asset, -below(held + 1n));
    else {
      const side = kind < 0.5 || held < 2n ? "buy" : "sell";
      // Sometimes everything, so that a coin starts afresh.
      const volume = side === "buy" ? below(5n * ONE) + 1n : next() < 0.05 ? held : below(held / 2n) + 1n;
      const price = (below(900n) + 100n) * ONE;
      const value = (volume * price) / ONE;
      const feeIn = next() < 0.7 ? "KRW" : "coin";
      const fee = (feeIn === "KRW" ? value : side === "sell" ? (held - volume) / 2n : volume) / 2_000n;
      const [krwFee, coinFee] = feeIn === "KRW" ? [fee, 0n] : [0n, fee];
      fills.push({ asset, side, price, volume, value, fee, feeIn, atMs });
      book("KRW", side === "buy" ? -value - krwFee : value - krwFee);
      book(asset, side === "buy" ? volume - coinFee : -volume - coinFee);
    }
  }
  return { fills, moved, balances };
}

export function text(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(9, "0");
  const plain = `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "");
  return units < 0n ? `-${plain}` : plain;
}

/** As the ledger keeps them. */
export function ledgerOf(fills: readonly NaiveFill[]): LedgerFill[] {
  return fills.map(({ asset, side, price, volume, value, fee, feeIn, atMs }, index) => ({
    tradeId: String(index),
    orderId: `order-${index}`,
    symbol: `${asset}/KRW`,
    side,
    price: text(price),
    volume: text(volume),
    value: text(value),
    fee: text(fee),
    feeCurrency: feeIn === "KRW" ? "KRW" : asset,
    atMs,
  }));
}
