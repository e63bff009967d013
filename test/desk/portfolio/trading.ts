/** Many fills of the paper account in the real exchange, made inside it, with deposits and withdrawals between them. */
import type { PortfolioView } from "../../../src/desk/index.ts";
import type { Sandbox } from "../../../src/sandbox/index.ts";
import { ONE, type World } from "../../fixture/desk-over-sandbox.ts";
import { type NaiveFill, naiveAsset, written } from "./naive-model.ts";
import { COINS, text } from "./random-history.ts";

type Command = Parameters<Sandbox["exchange"]["apply"]>[0];

const MID = { BTC: 100_000_000n, ETH: 4_000_000n, XRP: 3_000n } as const;
const TICK = { BTC: 1_000n, ETH: 1_000n, XRP: 1n } as const;

export function apply({ sandbox }: Pick<World, "sandbox">, command: Command, atMs = Date.now()): void {
  const applied = sandbox.exchange.apply(command, atMs);
  if (!applied.ok) throw new Error(`refused: ${applied.message}`);
}

export interface Trade {
  readonly coin: (typeof COINS)[number];
  readonly side: "buy" | "sell";
  readonly price: bigint;
  readonly volume: bigint;
}

let made = 0;

/** The paper account trades with the maker, at once. */
export function trade(world: Pick<World, "sandbox">, { coin, side, price, volume }: Trade, atMs = Date.now()): void {
  const order = {
    type: "place",
    keyId: null,
    symbol: `${coin}/KRW`,
    orderType: "limit",
    price,
    volume,
    amount: null,
    timeInForce: "GTC",
    postOnly: false,
    userref: null,
    settlementMode: "INSTANT_KRW",
  } as const;
  const maker = { ...order, side: side === "buy" ? "sell" : "buy", accountId: "maker" } as const;
  apply(world, { ...maker, orderId: orderId() }, atMs);
  apply(world, { ...order, side, accountId: world.sandbox.accountId, orderId: orderId() }, atMs);
}

/** As the exchange writes ids, so that its API shows them. */
function orderId(): string {
  made += 1;
  return `01999f3e-7a10-7c31-9a52-${made.toString(16).padStart(12, "0")}`;
}

/** @param next from 0 to 1 @param fromMs of the first; each a millisecond later */
export function tradeAtRandom(world: World, next: () => number, count: number, fromMs: number): void {
  const { accountId, exchange } = world.sandbox;
  const below = (limit: bigint): bigint => (BigInt(Math.floor(next() * 1_000_000)) * limit) / 1_000_000n; // not money: a draw
  const heldOf = (coin: string): bigint =>
    exchange.balances(accountId).find(({ asset }) => asset === coin)?.available ?? 0n;
  const onStep = (coin: string, volume: bigint): bigint => {
    const step = 10n ** BigInt(8 - (exchange.market(`${coin}/KRW`)?.volumeDecimals ?? 0));
    return (volume / step) * step;
  };
  for (let fills = 0, atMs = fromMs; fills < count; atMs += 1) {
    const coin = COINS[Math.floor(next() * COINS.length)] ?? "BTC";
    const held = heldOf(coin);
    const price = ((MID[coin] * (900n + below(200n))) / 1_000n / TICK[coin]) * TICK[coin] * ONE;
    // At least 100 000 KRW, to any unit.
    const least = (100_000n * ONE * ONE) / price;
    const kind = next();
    if (kind < 0.02) apply(world, { type: "deposit", accountId, asset: coin, amount: below(3n * ONE) + 1n }, atMs);
    else if (kind < 0.04 && held > 0n)
      apply(world, { type: "withdraw", accountId, asset: coin, amount: below(held) + 1n }, atMs);
    else {
      const side = kind < 0.5 || held < 4n * least ? "buy" : "sell";
      const volume = side === "buy" ? least + below(5n * least) : next() < 0.05 ? held : least + below(held / 2n);
      trade(world, { coin, side, price, volume: onStep(coin, volume) }, atMs);
      fills += 1;
    }
  }
}

export function endow(world: Pick<World, "sandbox">): void {
  apply(world, { type: "deposit", accountId: world.sandbox.accountId, asset: "KRW", amount: 1_000_000_000_000n * ONE });
}

/** All of the account, oldest first, as the exchange itself has them. */
export function fillsOf({ sandbox }: World): readonly NaiveFill[] {
  const { fills } = sandbox.exchange.fills(sandbox.accountId, { limit: 1_000_000 });
  return fills
    .map(({ symbol, side, price, volume, value, fee, time }) => ({
      ...{ asset: symbol.split("/")[0] ?? "", side, price, volume, value, fee, feeIn: "KRW" as const, atMs: time },
    }))
    .toReversed();
}

/** What the naive model makes of the exchange's own records, in the fields of the report. */
export function expectedAssets(world: World, method: "average" | "fifo", fromMs = 0, toMs = Number.MAX_SAFE_INTEGER) {
  const { exchange, accountId } = world.sandbox;
  const fills = fillsOf(world);
  return COINS.map((coin) => {
    const balance = exchange.balances(accountId).find(({ asset }) => asset === coin);
    const whole = (balance?.available ?? 0n) + (balance?.locked ?? 0n);
    const last = exchange.market(`${coin}/KRW`)?.last ?? 0n;
    const naive = naiveAsset(fills, coin, { balance: whole, last, method, fromMs, toMs });
    return {
      asset: coin,
      volume: text(whole),
      available: text(balance?.available ?? 0n),
      average_price: naive.averagePrice,
      average_cost: naive.averageCost,
      value: written([whole * last, ONE]),
      unrealized: naive.costed === 0n ? null : written(naive.unrealized),
      realized: written(naive.realized),
      fees: written(naive.fees),
      uncosted_volume: text(naive.uncosted),
    };
  });
}

/** The coins of a report in the same fields. */
export function coinsOf({ assets }: Pick<PortfolioView, "assets">) {
  return COINS.map((coin) => {
    const { unrealized_pct: _, ...line } = assets.find(({ asset }) => asset === coin) ?? {
      asset: coin,
      unrealized_pct: null,
    };
    return line;
  });
}
