/**
 * Converts orders and fills into the objects of the Trading API.
 *
 * Invariant: an order placed by amount shows the amount as its volume, with `viqc` among its flags; all other volumes are in the
 * base asset. Source: service.md#add-order, service.md#trading-queries.
 */
import type { OrderState, TradingFill, TradingOrder } from "../../../contract/index.ts";
import type { FillRecord, OrderRecord, PlaceCommand } from "../../model/index.ts";
import { decimalText, fixedText, quotient } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import { type OrderSetting, settlementView } from "../../wire/order-view.ts";
import { secondsOf } from "./unix-time.ts";

const STATUS: Readonly<Record<OrderState, TradingOrder["status"]>> = {
  open: "open",
  filled: "closed",
  canceled: "canceled",
  expired: "expired",
  rejected: "canceled",
};

/** The id of a fill; not a plain number, as JavaScript would sort it first among the keys of an object. */
export function fillIdOf({ tradeSeq }: FillRecord): string {
  return `T${tradeSeq}`;
}

type DescribedOrder = Pick<PlaceCommand, "side" | "symbol" | "orderType" | "price" | "volume" | "amount">;

/** "buy 0.01500000 BTC/KRW @ limit 95000000", "buy 50000.00000000 BTC/KRW @ market (volume in KRW)". */
export function descriptionText({ side, symbol, price, volume, amount }: DescribedOrder, quote: string): string {
  const kind = price === null ? "market" : `limit ${decimalText(price)}`;
  return volume === null
    ? `${side} ${fixedText(amount ?? 0n)} ${symbol} @ ${kind} (volume in ${quote})`
    : `${side} ${fixedText(volume)} ${symbol} @ ${kind}`;
}

/** @param fills shown with the order when given */
export function orderRow(order: OrderRecord, setting: OrderSetting, fills?: readonly FillRecord[]): TradingOrder {
  const { executedVolume, executedValue, price, volume, amount } = order;
  const average = executedVolume === 0n ? 0n : quotient(executedValue, executedVolume);
  const flags = ["fciq", ...(order.postOnly ? ["post"] : []), ...(volume === null ? ["viqc"] : [])];
  return {
    refid: null,
    userref: order.userref,
    status: STATUS[order.state],
    reason: order.reason,
    opentm: secondsOf(order.createdAt),
    ...(order.state === "open" ? {} : { closetm: secondsOf(order.updatedAt) }),
    starttm: 0,
    expiretm: 0,
    descr: {
      pair: order.symbol,
      type: order.side,
      ordertype: order.orderType,
      price: decimalText(price ?? 0n),
      price2: "0",
      leverage: "none",
      order: descriptionText(order, setting.quote),
      close: "",
    },
    vol: decimalText(volume ?? amount ?? 0n),
    vol_exec: decimalText(executedVolume),
    cost: decimalText(executedValue),
    fee: decimalText(order.fee),
    price: decimalText(average),
    stopprice: "0",
    limitprice: "0",
    misc: "",
    oflags: flags.join(","),
    ...(fills === undefined
      ? {}
      : {
          trades: fills.map(fillIdOf),
          executions: fills.map((fill) => fillRow(fill, order.orderType, setting)),
        }),
    timeinforce: order.timeInForce,
    fee_currency: setting.quote,
    settlement: settlementView(order, setting),
    opened_at: timeText(order.createdAt),
    updated_at: timeText(order.updatedAt),
  };
}

export function fillRow(
  fill: FillRecord,
  ordertype: OrderRecord["orderType"],
  { quote, exchange }: Pick<OrderSetting, "quote" | "exchange">,
): TradingFill {
  return {
    ordertxid: fill.orderId,
    postxid: fillIdOf(fill),
    pair: fill.symbol,
    time: secondsOf(fill.time),
    type: fill.side,
    ordertype,
    price: decimalText(fill.price),
    cost: decimalText(fill.value),
    fee: decimalText(fill.fee),
    vol: decimalText(fill.volume),
    margin: "0",
    leverage: "0",
    misc: "",
    trade_id: fill.tradeSeq,
    maker: fill.liquidity === "maker",
    fee_currency: quote,
    userref: fill.userref,
    settlement: { state: exchange.fillSettlement(fill) },
    traded_at: timeText(fill.time),
  };
}
