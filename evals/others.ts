/**
 * Everybody else at the exchange of a stage: what they have traded and quote when it is set, and where they go when the market moves.
 * Entry point: `openOthers`.
 *
 * Invariants: quotes stand still unless a request moves them; where it does, others trade there every second, until it moves them again or the
 * clock leaps.
 */
import type { Sandbox } from "../src/sandbox/index.ts";
import { ONE } from "../src/sandbox/model/index.ts";
import { unitsOf } from "../src/sandbox/wire/decimal-text.ts";

export interface Others {
  /** An order of one of them. */
  readonly place: (...quote: Quote) => void;
  /** From now on they bid and ask at these prices alone, and trade at the latter every second. */
  readonly market: (symbol: string, bid: string, ask: string) => void;
  /** By the exchange's clock, in Unix milliseconds. */
  readonly now: () => number;
  /** Puts that clock ahead, and ends the trading; nobody's prices stand over a leap. */
  readonly clockTo: (ms: number) => void;
  readonly close: () => void;
}

type Apply = Sandbox["exchange"]["apply"];
/** A limit order. */
type Quote = readonly [side: "buy" | "sell", symbol: string, price: string, volume: string];

const MAKER = "maker";
const TAKER = "taker";

/** Around ₩150,000,000 for a bitcoin, ₩5,200,000 for an ether and ₩3,400 for an XRP. */
const QUOTES: readonly Quote[] = [
  ["buy", "BTC/KRW", "149990000", "2"],
  ["buy", "BTC/KRW", "149900000", "5"],
  ["sell", "BTC/KRW", "150000000", "2"],
  ["sell", "BTC/KRW", "150100000", "5"],
  ["buy", "ETH/KRW", "5199000", "50"],
  ["buy", "ETH/KRW", "5190000", "100"],
  ["sell", "ETH/KRW", "5200000", "50"],
  ["sell", "ETH/KRW", "5210000", "100"],
  ["buy", "XRP/KRW", "3399", "50000"],
  ["buy", "XRP/KRW", "3390", "100000"],
  ["sell", "XRP/KRW", "3400", "50000"],
  ["sell", "XRP/KRW", "3410", "100000"],
  ["buy", "DOGE/KRW", "289", "1000"],
  ["sell", "DOGE/KRW", "290", "1000"],
];

/** What the account has bought before, at lower prices than today's: 0.02 BTC and 500 XRP. One ether was deposited. */
const BOUGHT: readonly Quote[] = [
  ["sell", "BTC/KRW", "140000000", "0.02"],
  ["sell", "XRP/KRW", "3000", "500"],
];

/** Everybody else's last trades. */
const TRADED: readonly Quote[] = [
  ["sell", "BTC/KRW", "150000000", "1"],
  ["sell", "ETH/KRW", "5200000", "10"],
  ["sell", "XRP/KRW", "3400", "10000"],
  ["sell", "DOGE/KRW", "290", "1000"],
];

/** More orders than stand in a market. */
const ALL = 1_000;
const TRADE_EVERY_MS = 1_000;
/** Of what is quoted, a trade is so much. */
const TRADED_PART = 20n;

/** Also gives the account what it owns. */
export function openOthers({ exchange, accountId }: Pick<Sandbox, "exchange" | "accountId">): Others {
  const now = (): number => Date.now() + exchange.clockOffset();
  const apply = (command: Parameters<Apply>[0]): void => {
    const applied = exchange.apply(command, now());
    if (!applied.ok) throw new Error(applied.message);
  };
  const place = (owner: string, [side, symbol, price, volume]: Quote): void =>
    apply(limitOrder(owner, { side, symbol, price: unitsOf(price), volume: unitsOf(volume) }));
  furnish(apply, accountId);
  for (const [side, ...rest] of BOUGHT) {
    place(MAKER, [side, ...rest]);
    place(accountId, ["buy", ...rest]);
  }
  for (const [side, ...rest] of TRADED) {
    place(MAKER, [side, ...rest]);
    place(TAKER, ["buy", ...rest]);
  }
  for (const quote of QUOTES) place(MAKER, quote);
  const trading = new Map<string, NodeJS.Timeout>();
  const withdraw = (symbol: string): void => {
    for (const owner of [MAKER, TAKER])
      for (const { orderId } of exchange.orders(owner, { symbol, states: ["open"], limit: ALL }).orders)
        apply({ type: "cancel", accountId: owner, symbol, orderId });
  };
  const endTrading = (): void => {
    for (const timer of trading.values()) clearInterval(timer);
  };
  return {
    now,
    place: (...quote) => place(TAKER, quote),
    market: (symbol, bid, ask) => {
      clearInterval(trading.get(symbol));
      withdraw(symbol);
      const volume = QUOTES.find((quote) => quote[1] === symbol)?.[3] ?? "1";
      place(MAKER, ["buy", symbol, bid, volume]);
      place(MAKER, ["sell", symbol, ask, volume]);
      const traded = { symbol, price: unitsOf(ask), volume: unitsOf(volume) / TRADED_PART };
      const trade = (): void => {
        apply(limitOrder(MAKER, { side: "sell", ...traded }));
        apply(limitOrder(TAKER, { side: "buy", ...traded }));
      };
      trade();
      trading.set(symbol, setInterval(trade, TRADE_EVERY_MS));
    },
    clockTo: (ms) => {
      const byMs = Math.ceil(ms - now());
      endTrading();
      if (byMs > 0) apply({ type: "advanceClock", byMs });
    },
    close: endTrading,
  };
}

function furnish(apply: (command: Parameters<Apply>[0]) => void, accountId: string): void {
  for (const maker of [MAKER, TAKER]) {
    apply({ type: "createAccount", accountId: maker, krwAccountLinked: true });
    for (const asset of ["KRW", "BTC", "ETH", "XRP", "DOGE"])
      apply({ type: "deposit", accountId: maker, asset, amount: 1_000_000_000_000n * ONE });
  }
  apply({ type: "deposit", accountId, asset: "ETH", amount: ONE });
}

let placed = 0;

interface Limit {
  readonly side: "buy" | "sell";
  readonly symbol: string;
  readonly price: bigint;
  readonly volume: bigint;
}

function limitOrder(accountId: string, limit: Limit): Parameters<Apply>[0] {
  placed += 1;
  return {
    ...{ type: "place", accountId, keyId: null, orderType: "limit", amount: null, ...limit },
    orderId: `0190aaaa-bbbb-7ccc-8ddd-${placed.toString(16).padStart(12, "0")}`,
    ...{ timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" },
  };
}
