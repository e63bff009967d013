/**
 * Reads an order as Upbit's clients send it, and makes the exchange's command of it. Entry point: `readTerms`.
 *
 * Invariant: nothing is changed here; what is refused is refused for the first reason of this order: market, side, type, condition,
 * self-match prevention, fields, size.
 */
import { type BookRecord, ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { SETTLED_AT_ONCE } from "../../venue-kit/order-commands.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import { MAX_TOTAL } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { feeOn } from "./order-view.ts";
import { badValue, overMaximum, refuse, refuseSide, type UpbitError, type UpbitSide } from "./outcome.ts";
import { marketOf, type PrivateCall } from "./upbit-call.ts";

export const SMP_TYPES = ["cancel_maker", "cancel_taker", "reduce", "none"] as const;
const TYPES = ["limit", "price", "market", "best"] as const;
const CONDITIONS = ["ioc", "fok", "post_only"] as const;

type Type = (typeof TYPES)[number];
type Condition = (typeof CONDITIONS)[number];

/** By what an order of a side is sized; null where there is no such order. */
type SizedBy = "total" | "volume" | null;

interface TypeTraits extends Readonly<Record<UpbitSide, SizedBy>> {
  /** What it is at the exchange. */
  readonly orderType: PlaceCommand["orderType"];
  /** Its price is its limit. */
  readonly isLimited: boolean;
  /** Its limit is the best price of the other side. */
  readonly isBest: boolean;
  /** The conditions that it takes; undefined is none. */
  readonly conditions: readonly (Condition | undefined)[];
}

const atMarket = { orderType: "market", isLimited: false, isBest: false, conditions: [undefined] } as const;

const TRAITS: Readonly<Record<Type, TypeTraits>> = {
  limit: {
    ...{ orderType: "limit", isLimited: true, isBest: false, bid: "volume", ask: "volume" },
    conditions: [undefined, "ioc", "fok", "post_only"],
  },
  price: { ...atMarket, bid: "total", ask: null },
  market: { ...atMarket, bid: null, ask: "volume" },
  best: { ...atMarket, isBest: true, bid: "total", ask: "volume", conditions: ["ioc", "fok"] },
};

export interface Terms {
  readonly ok: true;
  readonly command: PlaceCommand;
  readonly note: OrderNote;
  readonly side: UpbitSide;
}

interface Asked {
  readonly market: ListedMarket;
  readonly side: UpbitSide;
  readonly traits: TypeTraits;
  readonly condition: Condition | undefined;
  readonly smpType: string | undefined;
  readonly identifier: string | undefined;
}

/** @param orderId of the order, if it is taken */
export function readTerms(call: PrivateCall, orderId: string): Terms | UpbitError {
  const asked = readAsked(call);
  if ("ok" in asked) return asked;
  const size = readSize(call, asked);
  if ("ok" in size) return size;
  const { market, side, condition, smpType, identifier } = asked;
  const { isBest, total, ...terms } = size;
  const command: PlaceCommand = {
    type: "place",
    orderId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    symbol: market.symbol,
    side: side === "bid" ? "buy" : "sell",
    ...terms,
    timeInForce: condition === "fok" ? "FOK" : condition === "ioc" ? "IOC" : "GTC",
    postOnly: condition === "post_only",
    whenCrossing: "cancel",
    userref: identifier ?? null,
    settlementMode: SETTLED_AT_ONCE,
  };
  const note = {
    ...(isBest ? { isBest } : {}),
    ...(total === undefined ? {} : { total }),
    ...(smpType === undefined ? {} : { smpType }),
  };
  return { ok: true, command, note, side };
}

function readAsked({ service, parameters, variant }: PrivateCall): Asked | UpbitError {
  const code = parameters.text("market");
  if (code === undefined) return badValue("market");
  const market = marketOf(service, code);
  if (market === undefined) return refuse("notfoundmarket");
  const side = (["bid", "ask"] as const).find((word) => word === parameters.text("side"));
  if (side === undefined) return badValue("side");
  const type = TYPES.find((word) => word === parameters.text("ord_type"));
  if (type === undefined) return badValue("ord_type");
  const written = parameters.text("time_in_force");
  const condition = CONDITIONS.find((word) => word === written);
  const traits = TRAITS[type];
  if ((written !== undefined && condition === undefined) || !traits.conditions.includes(condition))
    return refuse("invalid_time_in_force");
  const smpType = parameters.text("smp_type");
  if (smpType !== undefined && !SMP_TYPES.some((word) => word === smpType)) return refuse("invalid_parameter");
  const suitsPostOnly = smpType === undefined || (smpType === "none" && variant !== "other");
  if (condition === "post_only" && !suitsPostOnly) return refuse("invalid_parameter");
  return { market, side, traits, condition, smpType, identifier: parameters.text("identifier") };
}

interface Size extends Pick<PlaceCommand, "orderType" | "price" | "volume" | "amount"> {
  readonly isBest: boolean;
  /** What a buy of the type `best` may spend. */
  readonly total?: Units;
}

/** Which of price and volume an order has: a buy at the market's price has its total as the price. */
function readSize(call: PrivateCall, asked: Asked): Size | UpbitError {
  const { side, traits } = asked;
  const isForTotal = traits[side] === "total";
  const [price, volume] = [call.parameters.text("price"), call.parameters.text("volume")];
  const isPriced = traits.isLimited || isForTotal;
  if (traits[side] === null || (isForTotal && volume !== undefined) || (!isPriced && price !== undefined))
    return refuseSide("create", side);
  if (isPriced && price === undefined) return badValue("price");
  if (!isForTotal && volume === undefined) return badValue("volume");
  const [priced, sized] = [amountOf(price), amountOf(volume)];
  if (priced === undefined) return badValue("price");
  if (sized === undefined) return badValue("volume");
  return sizeOf(call, asked, { isForTotal, price: priced, volume: sized });
}

interface Numbers {
  readonly isForTotal: boolean;
  readonly price: Units | null;
  readonly volume: Units | null;
}

function sizeOf(call: PrivateCall, asked: Asked, { isForTotal, price, volume }: Numbers): Size | UpbitError {
  const { market, side, traits } = asked;
  const { isBest, orderType, isLimited } = traits;
  const total = isForTotal ? price : price === null || volume === null ? null : (price * volume) / ONE;
  if (total !== null && total > MAX_TOTAL) return overMaximum(market.quote, side);
  if (isForTotal && total !== null) {
    if (total < market.minNotional) return refuseSide("under_min_total", side);
    if (availableOf(call, market.quote) < total + feeOn(total)) return refuseSide("insufficient_funds", side);
  }
  if (isBest) return bestSize(call.service.exchange.book(market.symbol, 1), { market, total, volume });
  return { isBest, orderType, price: isLimited ? price : null, volume, amount: isForTotal ? total : null };
}

interface BestAsked {
  readonly market: ListedMarket;
  /** Of a buy. */
  readonly total: Units | null;
  readonly volume: Units | null;
}

/** The best price of the other side as a limit; without one the order is to end without a trade. */
function bestSize({ buys, asks }: BookRecord, { market, total, volume }: BestAsked): Size | UpbitError {
  const [best] = (total === null ? buys : asks)[0] ?? [];
  const spent = total === null ? {} : { total };
  if (best === undefined) return { isBest: true, orderType: "market", price: null, volume, amount: total, ...spent };
  const step = market.minVolume;
  const bought = total === null ? volume : (total * ONE) / best - (((total * ONE) / best) % step);
  return { isBest: true, orderType: "limit", price: best, volume: bought, amount: null, ...spent };
}

function availableOf({ service, key }: PrivateCall, asset: string): Units {
  return service.exchange.balances(key.accountId).find((held) => held.asset === asset)?.available ?? 0n;
}

/** A plain decimal above zero; null where there is none, undefined for another text. */
function amountOf(text: string | undefined): Units | null | undefined {
  if (text === undefined) return null;
  if (!/^\d{1,15}(\.\d{1,8})?$/.test(text)) return undefined;
  const units = unitsOf(text);
  return units > 0n ? units : undefined;
}
