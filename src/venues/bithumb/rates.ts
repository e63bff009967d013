/**
 * How many calls Bithumb takes: by address, for each class of calls. It says nothing of what is left; that it was too much is assumed to be a 429.
 *
 * Orders and cancels stay below what it names as the most for one asset (about 20 a second together), whatever the market.
 *
 * Source: SOURCES.md#rates.
 */
import { type LimitsIn, pausesIn, type RateGroup } from "../../transport/index.ts";

const address = { windowMs: 1_000, scope: "address" } as const;

export const GROUPS = [
  { ...address, name: "other", limit: 140, reserved: 28 },
  { ...address, name: "place", limit: 6 },
  { ...address, name: "cancel", limit: 12 },
  { ...address, name: "candle", limit: 150 },
  { ...address, name: "orderbook", limit: 150 },
  { ...address, name: "ticker", limit: 150 },
  { ...address, name: "trade", limit: 150 },
  { ...address, name: "market", limit: 150 },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

export const limitsIn: LimitsIn = ({ status, headers }, charges) => (status === 429 ? pausesIn(headers, charges) : []);
