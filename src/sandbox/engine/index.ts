/** The exchange's core: a deterministic engine and its durable home on disk. */
export { createEngine, type Engine, restoreEngine } from "./engine.ts";
export { type OpenedExchange, type OpenOptions, openExchange } from "./exchange-store.ts";
export { DamagedJournalError } from "./journal-files.ts";
export { KRW_MARKETS } from "./markets.ts";
export { HOUSE } from "./state.ts";
