/**
 * The engine's memory: orders with their queues, levels and balances, as rows of numbers. What a row is stays inside: others see orders,
 * numbers of levels and of balances, and handles of orders, and import this file alone. Source: decision 0052.
 */
export { AVAILABLE, Balances, LOCKED } from "./balances.ts";
export type { Levels } from "./levels.ts";
export type { Handle, LiveOrder, NumberedAccount } from "./live-order.ts";
export { Names } from "./names.ts";
export type { OpenOrders } from "./open-orders.ts";
export type { Level } from "./order-rows.ts";
export { Orders } from "./orders.ts";
export { PriceLadder } from "./price-ladder.ts";
