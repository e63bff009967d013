/** An account with thousands of orders at an exchange that speaks Upbit's API, made inside it: filled at once, filled in parts, canceled, and open. */
import { randomBytes } from "node:crypto";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import type { FillRecord, OrderRecord } from "../../../src/sandbox/model/index.ts";
import { must } from "../../sandbox/http/venue.ts";

const ONE = 100_000_000n;
const DAY_MS = 86_400_000;
/** All of them are as far back as is read. */
const DAYS = 29;
const PRICE = 100_000_000n;
/** How much of its order each executes, in turn: all at once, in two parts, none and canceled. */
const KINDS = ["whole", "whole", "whole", "parts", "none"] as const;

export interface ManyOrders {
  readonly baseUrl: string;
  readonly key: { readonly apiKey: string; readonly apiSecret: string };
  /** Every own fill, as `order volume`, sorted. */
  fills(): readonly string[];
  /** What was bought and sold for since then, in whole won. */
  valuesSince(ms: number): { readonly buy_value: string; readonly sell_value: string };
  /** How many orders have executed anything. */
  executed(): number;
  /** Fills an order that has waited since before all others. */
  fillOldest(): void;
  close(): Promise<void>;
}

type Command = Parameters<Sandbox["exchange"]["apply"]>[0];

/** @param venueRateFactor how much more it takes than the exchange does */
export async function openManyOrders(count: number, venueRateFactor = 1_000): Promise<ManyOrders> {
  let atMs = Date.now() - DAYS * DAY_MS;
  let isMade = false;
  // No time of an exchange is before that of its start.
  const now = (): number => (isMade ? Date.now() : atMs);
  const sandbox = await startSandbox({ as: "upbit", marketMaker: false, limits: { venueRateFactor }, now });
  const { exchange } = sandbox;
  const stepMs = Math.floor(((DAYS - 1) * DAY_MS) / count);
  const apply = (command: Command): void => {
    must(exchange.apply(command, atMs));
  };
  for (const accountId of ["many", "maker"]) {
    apply({ type: "createAccount", accountId, krwAccountLinked: true });
    apply({ type: "deposit", accountId, asset: "KRW", amount: 100_000_000_000n * ONE });
    apply({ type: "deposit", accountId, asset: "BTC", amount: 1_000n * ONE });
  }
  const key = { apiKey: randomBytes(8).toString("hex"), apiSecret: randomBytes(64).toString("base64") };
  apply({
    type: "createKey",
    key: {
      ...{ keyId: key.apiKey, secret: key.apiSecret, accountId: "many", permissions: ["query", "trade"], tier: "pro" },
      ...{ ipAllowList: [], rejectDuplicateUserref: false },
    },
  });
  let made = 0;
  const place = (accountId: string, side: "buy" | "sell", volume: bigint, price = PRICE): string => {
    made += 1;
    const orderId = `01999f3e-7a10-7c31-9a52-${made.toString(16).padStart(12, "0")}`;
    apply({
      ...{ type: "place", keyId: null, orderId, accountId, symbol: "BTC/KRW", side, orderType: "limit" },
      ...{ price: price * ONE, volume, amount: null, timeInForce: "GTC", postOnly: false, userref: null },
      settlementMode: "INSTANT_KRW",
    });
    return orderId;
  };
  const unit = ONE / 10_000n;
  const oldest = PRICE - 1_000_000n;
  place("many", "buy", unit, oldest);
  for (let number = 0; number < count - 1; number++) {
    atMs += stepMs;
    const side = number % 2 === 0 ? "buy" : "sell";
    const other = side === "buy" ? "sell" : "buy";
    const kind = KINDS[number % KINDS.length];
    const orderId = place("many", side, unit);
    if (kind === "none") apply({ type: "cancel", accountId: "many", symbol: "BTC/KRW", orderId });
    else for (const part of kind === "whole" ? [unit] : [unit / 2n, unit / 2n]) place("maker", other, part);
  }
  isMade = true;
  const orders = (): readonly OrderRecord[] => {
    const found: OrderRecord[] = [];
    for (let skip = 0; ; skip += 1_000) {
      const page = exchange.orders("many", { limit: 1_000, skip });
      found.push(...page.orders);
      if (!page.more) return found;
    }
  };
  const fillsOf = () => orders().flatMap(({ orderId }) => exchange.fillsOf("many", orderId));
  return {
    baseUrl: sandbox.baseUrl,
    key,
    fills: () => fillsOf().map(shown).sort(),
    valuesSince: (ms) => {
      const sum = (side: "buy" | "sell"): string => {
        const of = fillsOf().filter((fill) => fill.side === side && fill.time >= ms);
        return String(of.reduce((all, { value }) => all + value, 0n) / ONE);
      };
      return { buy_value: sum("buy"), sell_value: sum("sell") };
    },
    executed: () => new Set(fillsOf().map(({ orderId }) => orderId)).size,
    fillOldest: () => {
      atMs = Date.now();
      place("maker", "sell", unit, oldest);
    },
    close: () => sandbox.close(),
  };
}

/** Of less than a coin. */
function shown({ orderId, volume }: FillRecord): string {
  return `${orderId} 0.${String(volume).padStart(8, "0").replace(/0+$/, "")}`;
}
