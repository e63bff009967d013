/** The exchange's core: a deterministic engine and its durable home on disk. */
export { createEngine, type Engine, restoreEngine } from "./engine.ts";
export { KRW_MARKETS } from "./market/market-rules.ts";
export { HOUSE } from "./state/exchange-state.ts";
export { type OpenedExchange, type OpenOptions, openExchange } from "./storage/exchange-store.ts";
export { DamagedJournalError } from "./storage/journal-files.ts";
