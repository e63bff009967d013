/** A small exchange for tests: two markets, accounts with money, and orders written in one line. */
import { createEngine, type Engine } from "../../../src/sandbox/engine/index.ts";
import {
  type Applied,
  type MarketRule,
  ONE,
  type OrderRecord,
  type PlaceCommand,
  type Refusal,
} from "../../../src/sandbox/model/index.ts";

export const BTC: MarketRule = {
  symbol: "BTC/KRW",
  base: "BTC",
  quote: "KRW",
  koreanName: "비트코인",
  englishName: "Bitcoin",
  minVolume: ONE / 100n,
  minNotional: 100n * ONE,
  tickBands: [
    { from: 0n, tick: ONE },
    { from: 10_000n * ONE, tick: 10n * ONE },
  ],
  priceDecimals: 0,
  volumeDecimals: 4,
  makerFeeRate: 40_000n,
  takerFeeRate: 50_000n,
  anchorPrice: 1_000n * ONE,
};

export const ETH: MarketRule = { ...BTC, symbol: "ETH/KRW", base: "ETH", englishName: "Ethereum", volumeDecimals: 8 };

export const T0 = Date.UTC(2026, 6, 20, 9);

export const krw = (won: number): bigint => BigInt(won) * ONE;
/** Ten-thousandths of a coin. */
export const coins = (tenThousandths: number): bigint => (BigInt(tenThousandths) * ONE) / 10_000n;

export function testEngine(...accounts: string[]): Engine {
  const engine = createEngine({ markets: [BTC, ETH], seed: 1, marketMaker: false });
  for (const accountId of accounts) endowAccount(engine, accountId);
  return engine;
}

export function endowAccount(engine: Pick<Engine, "apply">, accountId: string, at = T0): void {
  engine.apply({ type: "createAccount", accountId, krwAccountLinked: true }, at);
  for (const asset of ["KRW", "BTC", "ETH"])
    engine.apply({ type: "deposit", accountId, asset, amount: asset === "KRW" ? krw(10_000_000) : krw(1_000) }, at);
}

let orderSeq = 0;

type Terms = Partial<PlaceCommand> & Pick<PlaceCommand, "accountId" | "side">;

/** A limit order when a price is given, otherwise a market order. */
export function order(terms: Terms): PlaceCommand {
  orderSeq += 1;
  const isLimit = terms.price !== undefined && terms.price !== null;
  return {
    type: "place",
    keyId: null,
    orderId: `order-${String(orderSeq).padStart(8, "0")}`,
    symbol: "BTC/KRW",
    orderType: isLimit ? "limit" : "market",
    price: null,
    volume: null,
    amount: null,
    timeInForce: isLimit ? "GTC" : "IOC",
    postOnly: false,
    userref: null,
    settlementMode: "INSTANT_KRW",
    ...terms,
  };
}

export function placed(answer: Applied | Refusal): OrderRecord {
  if (!answer.ok || answer.kind !== "order") throw new Error(`not placed: ${JSON.stringify(answer)}`);
  return answer.order;
}

export function refused(answer: { readonly ok: true } | Refusal): Refusal {
  if (answer.ok) throw new Error("not refused");
  return answer;
}

/** Places an order, at `T0` by default. */
export function place(engine: Pick<Engine, "apply">, terms: Terms, at = T0): OrderRecord {
  return placed(engine.apply(order(terms), at));
}

export function stateText(engine: Engine): string {
  return JSON.stringify(engine.snapshot());
}

export function balance(engine: Engine, accountId: string, asset: string) {
  const found = engine.balances(accountId).find((entry) => entry.asset === asset);
  const { available = 0n, locked = 0n, withdrawable = 0n } = found ?? {};
  return { available, locked, withdrawable };
}

/** An open order of 1 unit at 1 unit, as its record has it. */
export function orderRecord(differing: Partial<OrderRecord> = {}): OrderRecord {
  return {
    ...{ orderId: "order-1", accountId: "ann", keyId: null, symbol: BTC.symbol, side: "buy", orderType: "limit" },
    ...{ price: 1n, volume: 1n, amount: null, timeInForce: "GTC", postOnly: false, userref: null },
    ...{ settlementMode: "INSTANT_KRW", createdAt: 0, executedVolume: 0n, executedValue: 0n, fee: 0n },
    ...{ state: "open", reason: null, updatedAt: 0 },
    ...differing,
  };
}
