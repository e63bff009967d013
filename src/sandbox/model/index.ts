/**
 * The exchange's vocabulary: commands that change it, records it keeps, events it emits, refusals it gives.
 *
 * The engine is a deterministic machine: state' = apply(command, time). Ids, time and randomness come in with the command or live
 * in the state, so a journal of commands replays to the same state.
 */
export type * from "./account.ts";
export type * from "./command.ts";
export type * from "./event.ts";
export type * from "./exchange.ts";
export type * from "./market.ts";
export type * from "./order.ts";
export * from "./transfer.ts";
export * from "./units.ts";
