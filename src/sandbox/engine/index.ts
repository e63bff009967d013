/** The exchange's core: a deterministic engine and its durable home on disk. */
export { createEngine, type Engine, type EngineOptions, restoreEngine } from "./engine.ts";
export { type OpenedExchange, type OpenOptions, openExchange } from "./exchange-store.ts";
export { InvariantError } from "./invariant.ts";
export { JournalFailure } from "./journal.ts";
export { DamagedJournalError } from "./journal-files.ts";
export { assertRule, KRW_MARKETS } from "./markets.ts";
export { notionalOf, tickAt, unitsText } from "./pricing.ts";
export type { EngineSnapshot } from "./snapshot.ts";
export { HOUSE } from "./state.ts";
