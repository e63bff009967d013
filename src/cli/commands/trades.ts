/** `hoga trades`: the account's own trades of a period, all of them, with what each market was bought and sold for. */
import { defined, type Fill, LIMITS, ok } from "../../contract/index.ts";
import { type Stamp, totalsByMarket } from "../../desk/index.ts";
import { amount, type Words } from "../../words/index.ts";
import { destinationOf, type HistoryOptions, handOut, headOf, localIso } from "../history.ts";
import type { Invocation } from "../invocation.ts";
import { localPeriod, type Period } from "../local-period.ts";
import { readPages } from "../pages.ts";
import { right, table } from "../text/table.ts";
import { look } from "./look.ts";

/** Counts back from now where no period is given, as that of the portfolio does. */
const RECENT_MS = 30 * 86_400_000;

export async function trades(options: HistoryOptions, run: Invocation): Promise<void> {
  const { words } = run;
  const given = localPeriod(options, words.timeZone);
  const period = Object.keys(given).length === 0 ? { fromMs: Date.now() - RECENT_MS } : given;
  const file = destinationOf(options);
  try {
    await look(run, options, async (desk) => {
      let stamp: Stamp = { environment: desk.environment, account: "", unit: desk.unit };
      const fills = await readPages<Fill>(run, {
        timeOf: ({ time }) => time,
        max: Number.POSITIVE_INFINITY,
        read: async (cursor) => {
          const asked = { ...period, limit: LIMITS.pageSizeMax, ...defined({ symbol: options.symbol, cursor }) };
          const page = await desk.fills({ ...asked, background: cursor !== undefined });
          if (!page.ok) return page;
          stamp = page.value;
          return ok({ entries: page.value.trades, next_cursor: page.value.next_cursor });
        },
      });
      handOut(run, options, file, historyOf(fills, { stamp, period, words }));
    });
  } finally {
    file?.close();
  }
}

interface Asked {
  readonly stamp: Stamp;
  readonly period: Period;
  readonly words: Words;
}

function historyOf(fills: readonly Fill[], { stamp, period, words }: Asked) {
  const { say, timeZone } = words;
  const { environment, account, unit } = stamp;
  return {
    ...{ environment, account, unit, period, count: fills.length },
    totals: totalsByMarket(fills),
    content: { trades: fills },
    head: headOf(words, stamp, period, say("history.trades", { count: fills.length })),
    table: () => tableOf(fills, words),
    csv: () => ({
      heads: CSV.map(({ name }) => say(`csv.${name}`)),
      rows: fills.map((fill) => CSV.map(({ of }) => of(fill, timeZone))),
    }),
  };
}

const CSV = [
  { name: "time", of: ({ time }: Fill, timeZone: string) => localIso(time, timeZone) },
  { name: "trade_id", of: ({ trade_id }: Fill) => trade_id },
  { name: "order_id", of: ({ orderId }: Fill) => orderId },
  { name: "userref", of: ({ userref }: Fill) => userref },
  { name: "symbol", of: ({ symbol }: Fill) => symbol },
  { name: "side", of: ({ side }: Fill) => side },
  { name: "price", of: ({ price }: Fill) => price },
  { name: "volume", of: ({ volume }: Fill) => volume },
  { name: "value", of: ({ value }: Fill) => value },
  { name: "liquidity", of: ({ liquidity }: Fill) => liquidity ?? null },
  { name: "fee", of: ({ fee }: Fill) => fee },
  { name: "fee_currency", of: ({ fee_currency }: Fill) => fee_currency },
] as const;

function tableOf(fills: readonly Fill[], { say, when }: Words): string {
  const heads = [
    ...(["time", "market", "side"] as const).map((name) => say(`column.${name}`)),
    ...(["price", "volume", "value", "fee"] as const).map((name) => right(say(`column.${name}`))),
    say("column.order_id"),
  ];
  const rows = fills.map(({ time, symbol, side, price, volume, value, fee, fee_currency, orderId }) => {
    const [base = "", quote = ""] = symbol.split("/");
    const figures = [amount(price, quote), amount(volume, base), amount(value, quote), amount(fee, fee_currency)];
    return [when(time), symbol, say(`side.${side}`), ...figures, orderId];
  });
  return table(heads, rows);
}
