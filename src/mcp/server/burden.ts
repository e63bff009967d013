/**
 * Owns what a message of a client costs whoever serves it, known before it is served: how much of its caller's share, and whether it goes
 * before all others, as it takes risk away.
 *
 * Source: decision 0071.
 */

import { fieldOf } from "../person/view.ts";
import type { Tool } from "../tool/tool.ts";
import { EVERY_TOOL, URGENT_TOOLS } from "../tools/every-tool.ts";
import type { Burden } from "./turns.ts";

export interface MessageBurden extends Burden {
  readonly hasPicture: boolean;
}

const DRAWS: readonly unknown[] = ["get_orderbook", "get_candles", "get_portfolio"];

const TOOL: ReadonlyMap<unknown, Pick<Tool, "read" | "scope">> = new Map(EVERY_TOOL.map((tool) => [tool.name, tool]));

const PICTURE = 10;
/** Rows of an answer that cost as much as one call. */
const ROWS = 50;
/** Beside what they read by rows. */
const BASE: Readonly<Record<string, number>> = {
  get_portfolio: 5,
  get_trade_history: 5,
  get_order_history: 2,
  get_open_orders: 2,
  get_audit_log: 2,
  get_desk_status: 2,
  get_markets: 2,
  get_ticker: 1,
};
/** Weighs a list, or a resource. */
const LIST = 2;
const LISTS = /^(tools|resources|prompts)\//;

export function burdenOf(message: unknown): MessageBurden {
  const method = fieldOf(message, "method");
  const isAsked = fieldOf(message, "id") !== undefined;
  if (method !== "tools/call") {
    const isList = typeof method === "string" && LISTS.test(method);
    return { isUrgent: false, isLook: isAsked && isList, weight: isList ? LIST : 1, hasPicture: false };
  }
  const params = fieldOf(message, "params");
  const name = fieldOf(params, "name");
  // As the tool reads them: what is asked for in another form costs no less.
  return burdenOfCall(name, TOOL.get(name)?.read(fieldOf(params, "arguments")));
}

/** @param given arguments as the tool has read them */
export function burdenOfCall(name: unknown, given: unknown): MessageBurden {
  const hasPicture = DRAWS.includes(name) && fieldOf(given, "chart") === true;
  return {
    isUrgent: URGENT_TOOLS.includes(name),
    // One that waits for an order costs nothing meanwhile.
    isLook: name !== "await_order" && TOOL.get(name)?.scope.endsWith(":read") !== false,
    weight: weightOf(String(name), given) + (hasPicture ? PICTURE : 0),
    hasPicture,
  };
}

function weightOf(name: string, given: unknown): number {
  // To price a size, as many levels are read as there may be.
  const rows = [fieldOf(given, "limit"), fieldOf(given, "depth"), fieldOf(given, "side") === undefined ? 0 : 500];
  const most = Math.max(0, ...rows.filter((count) => typeof count === "number" && Number.isFinite(count)).map(Number)); // not money: rows
  const symbols = fieldOf(given, "symbols") ?? fieldOf(given, "symbol");
  const isAll = name === "get_ticker" && symbols === undefined;
  return (Object.hasOwn(BASE, name) ? (BASE[name] ?? 1) : 1) + (isAll ? 1 : 0) + Math.floor(Math.min(most, 500) / ROWS);
}
