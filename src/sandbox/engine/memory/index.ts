/** The memory of the engine: orders, levels and balances as rows of numbers. Nobody outside imports another file of it. Source: decision 0052. */
export * from "./balances.ts";
export * from "./levels.ts";
export * from "./live-order.ts";
export * from "./names.ts";
export * from "./order-rows.ts";
export * from "./orders.ts";
export * from "./price-ladder.ts";
