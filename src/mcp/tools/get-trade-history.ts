import { z } from "zod";
import { shownFill } from "../../contract/index.ts";
import type { FillTotals, FillView } from "../../desk/index.ts";
import { cursor, given, optionalSymbol, pageLimit } from "../input/field.ts";
import { amount, counted } from "../text/amount-text.ts";
import { failedRead, lines, nextPage } from "../text/answer.ts";
import { boundedPage } from "../text/bounded-answer.ts";
import { fillLine } from "../text/order-text.ts";
import { historyProgress, historyReading } from "../tool/history-reading.ts";
import { from, notReadOf, type PeriodView, periodOf, periodShape, periodText, periodView, to } from "../tool/period.ts";
import { accountResult, closed, closedLike, listOf, maybe, text, texts } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const getTradeHistory = defineTool({
  name: "get_trade_history",
  title: "Own trades",
  description: "Your own executions of a period with fees, newest first, and totals.",
  module: "account",
  input: z.strictObject({ symbol: optionalSymbol, from, to, cursor, limit: pageLimit }),
  output: accountResult<FillView & { readonly period: PeriodView }>({
    trades: listOf(closedLike(shownFill)),
    totals: closed<FillTotals>({
      buy_value: text,
      sell_value: text,
      fees: listOf(closed<FillTotals["fees"][number]>({ currency: text, amount: text })),
    }),
    warnings: texts,
    reading: historyReading,
    unread: text,
    next_cursor: maybe,
    period: periodShape,
  }),
  async run({ symbol, cursor, limit = 50, ...dates }, { desk, progress }) {
    const period = periodOf(dates, desk);
    const asked = { ...given({ symbol, cursor }), limit, ...period };
    const read = await desk.fills({ ...asked, withTotals: true, onProgress: historyProgress(progress) });
    if (!read.ok) return failedRead(desk, read.fault);
    const again = (most: number) => desk.fills({ ...asked, limit: most });
    const view = { ...read.value, period: periodView(period, desk) };
    const shortened = notReadOf(period, desk);
    const text = ({ trades, totals, warnings, next_cursor, unit }: FillView): string => {
      const isPart = cursor !== undefined || next_cursor !== null;
      const head = `${counted(trades.length, "own trade")}${isPart ? " on this page" : ""}, ${periodText(period, shortened)}.`;
      const summed = [...(totals === undefined ? [] : [totalsText(totals, unit)]), ...warnings];
      return lines([head, ...summed].join(" "), ...trades.map(fillLine), nextPage(next_cursor));
    };
    return boundedPage(desk, view, "trades", again, { text, shortened });
  },
});

function totalsText({ buy_value, sell_value, fees }: FillTotals, unit: string): string {
  const paid = fees.map(({ amount: fee, currency }) => amount(fee, currency)).join(" and ") || "none";
  return `In the whole period bought for ${amount(buy_value, unit)}, sold for ${amount(sell_value, unit)}, fees ${paid}.`;
}
