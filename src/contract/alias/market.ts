/**
 * Owns the parameters of the public alias endpoints, as their dialect names them.
 *
 * Where a parameter can be wrong in a way the dialect has its own number for, the schema's message is the name of an
 * `ALIAS_PROBLEMS` entry.
 *
 * Source: service.md#alias-public; decision 0010.
 */
import { z } from "zod";
import { describedAsInteger, symbolInput } from "../wire.ts";

/** A page size, 1 to 1000. */
export const aliasLimit = z
  .string()
  .regex(/^([1-9]\d{0,2}|1000)$/)
  .meta(describedAsInteger(1, 1000));
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .meta(describedAsInteger(0, 999_999_999_999_999));
/** Unix milliseconds. */
export const aliasTimeInput = wholeNumber;

const SYMBOL = "[A-Za-z0-9]{1,15}(/[A-Za-z0-9]{1,15})?";
/** A JSON array of markets. */
const symbolsInput = z.string().regex(new RegExp(`^\\["${SYMBOL}"(,"${SYMBOL}"){0,99}\\]$`));

const someSymbols = { symbol: symbolInput.optional(), symbols: symbolsInput.optional() };

interface SomeSymbols {
  readonly symbol?: string | undefined;
  readonly symbols?: string | undefined;
}

function oneOfBoth({ symbol, symbols }: SomeSymbols, context: z.RefinementCtx): void {
  if (symbol === undefined || symbols === undefined) return;
  context.addIssue({ code: "custom", path: ["symbols"], message: "badCombination", input: symbols });
}

export const aliasSymbolsParameters = z.strictObject(someSymbols).superRefine(oneOfBoth);

/** `true` or `false`. */
export const aliasFlag = z.enum(["true", "false"], { error: "invalidParameter" });
/** Only UTC, which is what there is without it too. */
const utcOnly = z.string().regex(/^[+-]?0{1,2}(:00)?$/, { error: "invalidParameter" });
/** The number of a trade. */
export const aliasTradeIdInput = wholeNumber;

/** Leaves `permissionSets` out of the answer where `showPermissionSets` is false. */
export const aliasExchangeInfoParameters = z
  .strictObject({ ...someSymbols, showPermissionSets: aliasFlag.optional() })
  .superRefine(oneOfBoth);
export const aliasSymbolParameters = z.strictObject({ symbol: symbolInput });

export const aliasDepthParameters = z.strictObject({
  symbol: symbolInput,
  /** 100 when absent; above 5000 as many as 5000. */
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .optional()
    .meta(describedAsInteger(1, 99_999)),
});

export const aliasTradesParameters = z.strictObject({ symbol: symbolInput, limit: aliasLimit.optional() });
export const aliasHistoricalTradesParameters = z.strictObject({
  symbol: symbolInput,
  limit: aliasLimit.optional(),
  /** Trades from this one on. */
  fromId: aliasTradeIdInput.optional(),
});
export const aliasAggTradesParameters = z.strictObject({
  symbol: symbolInput,
  /** Trades from this one on. */
  fromId: aliasTradeIdInput.optional(),
  startTime: aliasTimeInput.optional(),
  endTime: aliasTimeInput.optional(),
  limit: aliasLimit.optional(),
});

/** The dialect's intervals that fit into a day, with their length. */
export const ALIAS_INTERVAL_MS = {
  "1m": 60_000,
  "3m": 180_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
  "2h": 7_200_000,
  "4h": 14_400_000,
  "6h": 21_600_000,
  "8h": 28_800_000,
  "12h": 43_200_000,
  "1d": 86_400_000,
} as const;

type AliasInterval = keyof typeof ALIAS_INTERVAL_MS;

export const aliasKlinesParameters = z.strictObject({
  symbol: symbolInput,
  interval: z.enum(Object.keys(ALIAS_INTERVAL_MS) as AliasInterval[], { error: "invalidInterval" }),
  startTime: aliasTimeInput.optional(),
  endTime: aliasTimeInput.optional(),
  timeZone: utcOnly.optional(),
  limit: aliasLimit.optional(),
});

export const aliasDayParameters = z
  .strictObject({ ...someSymbols, type: z.enum(["FULL", "MINI"], { error: "invalidTickerType" }).optional() })
  .superRefine(oneOfBoth);
