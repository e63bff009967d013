/**
 * Composes a call of the Trading API from `TRADING_OPERATIONS`. Its fields are checked against the contract, so that nothing
 * malformed is sent.
 *
 * An order without travel-rule metadata gets the venue's own error code, because the metadata is missing in the profile.
 *
 * Source: service.md#trading-requests, service.md#add-order, service.md#add-order-compliance.
 */
import type { z } from "zod";
import {
  type CreateOrderBody,
  checkFault,
  compliance,
  createOrderBody,
  type Fault,
  failed,
  ok,
  type Result,
  TRADING_OPERATIONS,
  type TradingOperation,
  type TradingOperationId,
  tradingPath,
} from "../../../contract/index.ts";
import { type Call, invalidInput } from "../request/call.ts";

/** Answer of an operation, as the contract has it. */
export type TradingAnswer<Id extends TradingOperationId> = z.output<(typeof TRADING_OPERATIONS)[Id]["result"]>;

/** Fields of a form, as texts. Undefined fields are left out. */
export type TradingFields<Id extends TradingOperationId> = {
  readonly [Name in keyof z.input<(typeof TRADING_OPERATIONS)[Id]["request"]>]?: string | undefined;
};

type Operations = typeof TRADING_OPERATIONS;
/** Operations that change nothing. */
export type TradingRead = {
  [Id in TradingOperationId]: Operations[Id]["auth"] extends "trade" ? never : Id;
}[TradingOperationId];

/** @returns the call, or a fault naming what does not match the contract; nothing was sent then. */
export function tradingCall<Id extends TradingOperationId>(
  id: Id,
  fields: TradingFields<Id> = {},
): Result<Call<TradingAnswer<Id>, Id extends TradingRead ? false : true>> {
  const operation: TradingOperation = TRADING_OPERATIONS[id];
  const given = Object.entries<string | undefined>(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const fault =
    (id === "AddOrder" ? missingCompliance(fields) : undefined) ??
    invalidInput(operation.request, Object.fromEntries(given));
  if (fault !== undefined) return failed(fault);
  const form = given.map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`).join("&");
  const path = tradingPath(id);
  const isPrivate = operation.auth !== "none";
  return ok({
    family: "trading",
    endpoint: id,
    method: isPrivate ? "POST" : "GET",
    path: isPrivate || form === "" ? path : `${path}?${form}`,
    weight: operation.weight,
    isPrivate,
    response: operation.result as z.ZodType<TradingAnswer<Id>>,
    isWrite: (operation.auth === "trade") as Id extends TradingRead ? false : true,
    ...(isPrivate && form !== "" ? { body: form } : {}),
  });
}

/**
 * An order with the fields of the Trading API. An order by amount has its volume in the quote currency.
 * @returns a fault also for an order that the fields of the Open API say wrongly, such as with volume and amount
 */
export function orderCall(
  order: CreateOrderBody,
  more: TradingFields<"AddOrder"> = {},
): Result<Call<TradingAnswer<"AddOrder">, true>> {
  const fault = invalidInput(createOrderBody, order);
  if (fault !== undefined) return failed(fault);
  const flags = [...(order.post_only === true ? ["post"] : []), ...(order.amount === undefined ? [] : ["viqc"])];
  return tradingCall("AddOrder", {
    pair: order.symbol,
    type: order.side,
    ordertype: order.type,
    volume: order.volume ?? order.amount,
    price: order.price,
    timeinforce: order.time_in_force,
    oflags: flags.length === 0 ? undefined : flags.join(","),
    userref: order.userref,
    ...order.compliance,
    ...more,
  });
}

/** The call that reads the venue's clock. */
export function tradingClockCall(): Call<TradingAnswer<"Time">, false> {
  const call = tradingCall("Time");
  if (!call.ok) throw new Error("the contract refuses its own time call");
  return call.value;
}

function missingCompliance(fields: Readonly<Record<string, unknown>>): Fault | undefined {
  const missing = Object.keys(compliance.shape).filter((name) => fields[name] === undefined);
  if (missing.length === 0) return undefined;
  const list = missing.join(", ");
  return checkFault("ECompliance:Missing travel-rule metadata", {
    field: list,
    message: `The Trading API takes no order without ${list}. Nothing was sent.`,
    nextAction: "Set them under [profiles.NAME.compliance] in config.toml, or send compliance with the order.",
  });
}
