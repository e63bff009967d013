/** Names what the desk reports of the portfolio. Names are public; every amount is decimal text, rounded half-even to 8 fraction digits. */
import type { HistoryReading } from "./history-reading.ts";
import type { Stamp } from "./reports.ts";

/** `today` and `year`: since the local day or year began; `7d`, `30d`: the last so many times 24 hours. */
export const PORTFOLIO_PERIODS = ["today", "7d", "30d", "year", "all"] as const;
export type PortfolioPeriod = (typeof PORTFOLIO_PERIODS)[number];

/** @typeParam fromMs Unix milliseconds, both included; instead of a named period */
export interface PortfolioRequest {
  /** Default: all. */
  readonly period?: PortfolioPeriod;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Which coins a sell takes: of all at their moving average, which is the default, or the first bought. */
  readonly method?: "average" | "fifo";
  /** Also the equity day by day. */
  readonly withEquity?: boolean;
  /** Called while the history is read. */
  readonly onProgress?: (reading: HistoryReading, elapsedMs: number) => void;
}

/** One asset. What is held is as it is now; `realized` and `fees` are of the period. */
export interface PortfolioAsset {
  readonly asset: string;
  readonly volume: string;
  readonly available: string;
  /** The unit of account for one coin, without fees; null where no cost is known, as of the unit itself. */
  readonly average_price: string | null;
  /** The same with fees. */
  readonly average_cost: string | null;
  /** At the last price; null where there is no market in the unit, or none has traded. */
  readonly value: string | null;
  /** Counts what has a known cost, fees paid so far in it. */
  readonly unrealized: string | null;
  /** That, in percent of the cost. Rounded half-even to 4 fraction digits. */
  readonly unrealized_pct: string | null;
  /** Null while the history is read, as all that is computed from it. */
  readonly realized: string | null;
  readonly fees: string | null;
  /** What the fills do not explain, such as deposits: in `volume` and `value`, and in no cost and no profit. */
  readonly uncosted_volume: string | null;
}

export interface PortfolioTotals {
  /** Sums all assets that have a value, the unit itself and what has no known cost included. */
  readonly value: string;
  /** These four are null while the history is read. */
  readonly cost: string | null;
  readonly unrealized: string | null;
  readonly realized: string | null;
  readonly fees: string | null;
}

export interface EquityPoint {
  /** UTC day. */
  readonly date: string;
  readonly value: string;
}

export interface PortfolioView extends Stamp {
  readonly assets: readonly PortfolioAsset[];
  readonly totals: PortfolioTotals;
  /** Times in ISO 8601; `from` null: since the first fill. `timezone`: by whose days it was counted. */
  readonly period: {
    readonly name: PortfolioPeriod | null;
    readonly from: string | null;
    readonly to: string;
    readonly timezone: string;
  };
  readonly method: "average" | "fifo";
  readonly as_of: string;
  /** Tells what the figures leave out. */
  readonly warnings: readonly string[];
  /** There while the history is still being read, in the background: ask again. */
  readonly reading?: HistoryReading;
  /** Times whose trades are in no figure, as nobody read them while the exchange listed them: ISO 8601 intervals with commas between, `..` for no beginning. */
  readonly unread?: string;
  /** Closing values of the days of the period, oldest first, today's at last prices. On request. */
  readonly equity?: readonly EquityPoint[];
}
