/**
 * Reads an order as Korbit's clients send it, and makes the exchange's command of it. Entry point: `readTerms`.
 *
 * Invariant: nothing is changed here; what is refused is refused for the first reason of this order: market, account, side, type, condition, sizes, own
 * id, protection, value.
 */
import { type BookRecord, ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { SETTLEMENT_MODE } from "../../venue-kit/order-commands.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import { namedMarket, type PrivateCall } from "./korbit-call.ts";
import { MAX_VALUE } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { badRequest, type KorbitError, refuse } from "./outcome.ts";
import type { Parameters } from "./parameters.ts";

const SIDES = ["buy", "sell"] as const;
const TYPES = ["limit", "market", "best"] as const;
const CONDITIONS = ["gtc", "ioc", "fok", "po"] as const;
const SIZES = ["price", "qty", "amt"] as const;
const CLIENT_ID = /^[0-9a-zA-Z.:_-]{1,36}$/;
const NTH_MAX = 5;
const PROTECTION_DEFAULT = 5;
const PROTECTION_MAX = 100;

type Side = (typeof SIDES)[number];
type Type = (typeof TYPES)[number];
type Condition = (typeof CONDITIONS)[number];
type Size = (typeof SIZES)[number];

/** By side, the sizes that an order has to have; no other may be sent. */
interface TypeTraits extends Readonly<Record<Side, readonly Size[]>> {
  /** What it is at the exchange. */
  readonly orderType: PlaceCommand["orderType"];
  /** Its price is one of the book. */
  readonly isBest: boolean;
  readonly conditions: readonly Condition[];
  /** Where none is said; one has to be said where there is none here. */
  readonly condition?: Condition;
}

const TRAITS: Readonly<Record<Type, TypeTraits>> = {
  limit: {
    ...{ orderType: "limit", isBest: false, conditions: CONDITIONS, condition: "gtc" },
    ...{ buy: ["price", "qty"], sell: ["price", "qty"] },
  },
  market: { orderType: "market", isBest: false, conditions: ["ioc"], condition: "ioc", buy: ["amt"], sell: ["qty"] },
  best: { orderType: "limit", isBest: true, conditions: CONDITIONS, buy: ["amt"], sell: ["qty"] },
};

export interface Terms {
  readonly ok: true;
  readonly command: PlaceCommand;
  readonly note: Partial<OrderNote>;
}

interface Asked {
  readonly market: ListedMarket;
  readonly side: Side;
  readonly traits: TypeTraits;
  readonly condition: Condition;
  readonly price: Units | null;
  readonly volume: Units | null;
  readonly amount: Units | null;
  /** Which price of a book an order of the type `best` takes. */
  readonly nth: number;
  readonly clientId: string | null;
  /** In percent; undefined without protection. */
  readonly protection: number | undefined;
}

/** @param orderId of the order, if it is taken */
export function readTerms(call: PrivateCall, orderId: string): Terms | KorbitError {
  const asked = readAsked(call);
  if ("ok" in asked) return asked;
  const { market, side, condition, clientId } = asked;
  const book = call.service.exchange.book(market.symbol, NTH_MAX);
  const priced = pricedBy(asked, book);
  if ("ok" in priced) return priced;
  const tooLarge = orderValue(asked, priced) > MAX_VALUE;
  if (tooLarge) return refuse("ORDER_VALUE_TOO_LARGE");
  const { note, ...terms } = protectedBy(asked, priced, book);
  const command: PlaceCommand = {
    type: "place",
    orderId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    symbol: market.symbol,
    side,
    timeInForce: condition === "fok" ? "FOK" : condition === "ioc" ? "IOC" : "GTC",
    ...terms,
    postOnly: condition === "po",
    whenCrossing: "cancel",
    userref: clientId,
    settlementMode: SETTLEMENT_MODE,
  };
  return { ok: true, command, note };
}

function readAsked(call: PrivateCall): Asked | KorbitError {
  const { parameters } = call;
  const market = namedMarket(call);
  if ("ok" in market) return market;
  if ((parameters.text("accountSeq") ?? "1") !== "1") return badRequest("accountSeq");
  const side = parameters.choice("side", SIDES);
  const type = parameters.choice("orderType", TYPES);
  if (typeof side !== "string") return side ?? badRequest("side");
  if (typeof type !== "string") return type ?? badRequest("orderType");
  const traits = TRAITS[type];
  const asked = parameters.choice("timeInForce", CONDITIONS);
  if (typeof asked === "object") return asked;
  const condition = asked ?? traits.condition;
  if (condition === undefined || !traits.conditions.includes(condition)) return badRequest("timeInForce");
  const nth = parameters.count("bestNth", traits.isBest ? undefined : 1, NTH_MAX);
  if (typeof nth !== "number") return nth;
  if (!traits.isBest && parameters.text("bestNth") !== undefined) return badRequest("bestNth");
  const sizes = sizesOf(parameters, traits[side]);
  if ("ok" in sizes) return sizes;
  const clientId = parameters.text("clientOrderId") ?? null;
  if (clientId !== null && !CLIENT_ID.test(clientId)) return badRequest("clientOrderId");
  const protection = protectionOf(parameters);
  if (typeof protection === "object") return protection;
  return { market, side, traits, condition, ...sizes, nth, clientId, protection };
}

function sizesOf(
  parameters: Parameters,
  needed: readonly Size[],
): Pick<Asked, "price" | "volume" | "amount"> | KorbitError {
  const read: Partial<Record<Size, Units>> = {};
  for (const name of SIZES) {
    const text = parameters.text(name);
    if (needed.includes(name) !== (text !== undefined)) return badRequest(name);
    if (text === undefined) continue;
    const units = /^\d{1,15}(\.\d{1,8})?$/.test(text) ? unitsOf(text) : 0n;
    if (units <= 0n) return badRequest(name);
    read[name] = units;
  }
  return { price: read.price ?? null, volume: read.qty ?? null, amount: read.amt ?? null };
}

function protectionOf(parameters: Parameters): number | undefined | KorbitError {
  const isProtected = parameters.choice("pp", ["true", "false"]);
  if (typeof isProtected === "object") return isProtected;
  const percent = parameters.count("ppPercent", PROTECTION_DEFAULT, PROTECTION_MAX);
  if (typeof percent === "object") return percent;
  if (isProtected !== "true" && parameters.text("ppPercent") !== undefined) return badRequest("ppPercent");
  return isProtected === "true" ? percent : undefined;
}

interface Priced extends Pick<PlaceCommand, "orderType" | "price" | "volume" | "amount"> {
  readonly note: Partial<OrderNote>;
}

/** An order at the best price is a limit order at a price of the book: of the other side, or of its own where it may only rest. */
function pricedBy(asked: Asked, book: BookRecord): Priced | KorbitError {
  const { market, side, traits, condition, price, volume, amount, nth } = asked;
  if (!traits.isBest) return { orderType: traits.orderType, price, volume, amount, note: {} };
  const levels = (side === "buy") === (condition === "po") ? book.buys : book.asks;
  const best = levels[nth - 1]?.[0];
  if (best === undefined) return refuse("BAD_REQUEST", "the book has no price of that place");
  const bought = ((amount ?? 0n) * ONE) / best;
  const size = volume ?? bought - (bought % market.minVolume);
  if (size === 0n) return refuse("ORDER_VALUE_TOO_SMALL");
  const note = { orderType: "best", ...(amount === null ? {} : { amount }) } as const;
  return { orderType: "limit", price: best, volume: size, amount: null, note };
}

/** A sale at the market's price is valued at the last price. */
function orderValue({ market }: Asked, { price, volume, amount }: Priced): Units {
  return amount ?? ((price ?? market.last ?? market.anchorPrice) * (volume ?? 0n)) / ONE;
}

/**
 * An order with price protection that would take beyond its bound takes up to there, and what is left of it ends. A buy for an amount is not protected.
 */
function protectedBy(
  { market, side, condition, protection }: Asked,
  { note, ...terms }: Priced,
  { buys, asks }: BookRecord,
): Priced & Pick<Partial<PlaceCommand>, "timeInForce"> {
  const [bid, ask] = [buys[0]?.[0], asks[0]?.[0]];
  if (protection === undefined || condition === "po" || terms.volume === null) return { ...terms, note };
  if (bid === undefined || ask === undefined) return { ...terms, note };
  const hundredths = BigInt(side === "buy" ? 100 + protection : 100 - protection);
  const edge = ((bid + ask) * hundredths) / 200n;
  const bound = edge - (edge % unitAt(market.tickBands, edge));
  const { price } = terms;
  const isTighter = price === null || (side === "buy" ? price > bound : price < bound);
  if (!isTighter || bound <= 0n) return { ...terms, note };
  const timeInForce = condition === "fok" ? "FOK" : "IOC";
  const shown = { ...note, price, timeInForce: condition, ...(price === null ? { orderType: "market" as const } : {}) };
  return { ...terms, orderType: "limit", price: bound, timeInForce, note: shown };
}
