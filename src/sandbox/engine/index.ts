/** The exchange itself: a deterministic engine, and its storage on disk. */
export { createEngine, type Engine, restoreEngine } from "./engine.ts";
export { KRW_MARKETS, newMarkets } from "./market/market-rules.ts";
export { HOUSE } from "./state/exchange-state.ts";
export { type OpenedExchange, type OpenOptions, openExchange } from "./storage/exchange-store.ts";
export { DamagedJournalError } from "./storage/record-file.ts";
