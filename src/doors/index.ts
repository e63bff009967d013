/** The doors together. */
export * from "./desk.ts";
export * from "./exchange.ts";
export * from "./mcp.ts";
export * from "./venues.ts";
