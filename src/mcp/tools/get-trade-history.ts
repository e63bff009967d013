import { z } from "zod";
import { fill } from "../../contract/index.ts";
import type { FillTotals, FillView } from "../../desk/index.ts";
import { amount, counted } from "../amount-text.ts";
import { answered, failedRead, lines, nextPage } from "../answer.ts";
import { cursor, optionalSymbol, pageLimit } from "../field.ts";
import { historyProgress, historyReading } from "../history-reading.ts";
import { given } from "../order-fields.ts";
import { fillLine } from "../order-text.ts";
import { from, periodOf, to } from "../period.ts";
import { accountResult, closed, closedLike, listOf, maybe, text, texts } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getTradeHistory = defineTool({
  name: "get_trade_history",
  title: "Own trades",
  description:
    "Your own executions of a period with fee and fee currency, newest first, and the totals of the whole period.",
  module: "account",
  input: z.strictObject({ symbol: optionalSymbol, from, to, cursor, limit: pageLimit }),
  output: accountResult<FillView>({
    trades: listOf(closedLike(fill)),
    totals: closed<FillTotals>({
      buy_value: text,
      sell_value: text,
      fees: listOf(closed<FillTotals["fees"][number]>({ currency: text, amount: text })),
    }),
    warnings: texts,
    reading: historyReading,
    next_cursor: maybe,
  }),
  async run({ symbol, cursor, limit = 50, ...period }, { desk, progress }) {
    const asked = { ...given({ symbol, cursor }), limit, ...periodOf(period) };
    const read = await desk.fills({ ...asked, withTotals: true, onProgress: historyProgress(progress) });
    if (!read.ok) return failedRead(desk, read.fault);
    const { trades, totals, warnings, next_cursor } = read.value;
    const isPart = cursor !== undefined || next_cursor !== null;
    const head = `${counted(trades.length, "own trade")}${isPart ? " on this page" : ""}.`;
    const summed = totals === undefined ? warnings : [totalsText(totals)];
    return answered(
      desk,
      lines([head, ...summed].join(" "), ...trades.map(fillLine), nextPage(next_cursor)),
      read.value,
    );
  },
});

function totalsText({ buy_value, sell_value, fees }: FillTotals): string {
  const paid = fees.map(({ amount: fee, currency }) => amount(fee, currency)).join(" and ") || "none";
  return `In the whole period bought for ${amount(buy_value, "KRW")}, sold for ${amount(sell_value, "KRW")}, fees ${paid}.`;
}
