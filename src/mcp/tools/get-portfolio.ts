import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined, quoted } from "../../contract/index.ts";
import {
  type EquityPoint,
  PORTFOLIO_PERIODS,
  type PortfolioAsset,
  type PortfolioTotals,
  type PortfolioView,
} from "../../desk/index.ts";
import { amount, amountOr, isPositive, when } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { historyProgress, historyReading } from "../history-reading.ts";
import { from, periodOf, to } from "../period.ts";
import { type Draw, withPicture } from "../picture.ts";
import { readerOf } from "../picture-request.ts";
import { accountResult, closed, listOf, maybe, text, texts } from "../result-shape.ts";
import { defineTool, type ToolCall } from "../tool.ts";

const input = z
  .strictObject({
    period: z.enum(PORTFOLIO_PERIODS).optional(),
    from,
    to,
    method: z.enum(["average", "fifo"]).optional(),
    chart: z.boolean().optional().describe("Adds a PNG image"),
  })
  .superRefine(({ period, from, to }, context) => {
    if (period === undefined || (from === undefined && to === undefined)) return;
    context.addIssue({ code: "custom", path: ["period"], message: "send period, or from and to", input: period });
  });

const asset = closed<PortfolioAsset>({
  asset: text,
  volume: text,
  available: text,
  average_price: maybe,
  average_cost: maybe,
  value_krw: maybe,
  unrealized_krw: maybe,
  unrealized_pct: maybe,
  realized_krw: maybe,
  fees_krw: maybe,
  uncosted_volume: maybe,
});

export const getPortfolio = defineTool({
  name: "get_portfolio",
  title: "Portfolio",
  description:
    "Average cost, value and unrealized profit per asset, and what the period realized and paid in fees. uncosted_volume has no known cost and no profit.",
  module: "account",
  input,
  output: accountResult<PortfolioView>({
    assets: listOf(asset),
    totals: closed<PortfolioTotals>({
      value_krw: text,
      cost_krw: maybe,
      unrealized_krw: maybe,
      realized_krw: maybe,
      fees_krw: maybe,
    }),
    period: closed<PortfolioView["period"]>({ name: maybe, from: maybe, to: text }),
    method: text,
    as_of: text,
    warnings: texts,
    reading: historyReading,
    equity: listOf(closed<EquityPoint>({ date: text, value_krw: text })),
  }),
  run: (request, call) =>
    request.chart === true ? withPicture(call, (draw) => look(request, call, draw)) : look(request, call),
});

async function look(
  { period, method, ...asked }: z.infer<typeof input>,
  { desk, person, progress }: ToolCall,
  draw?: Draw,
): Promise<CallToolResult> {
  const { chart: _, ...span } = asked;
  const read = await desk.portfolio({
    ...defined({ period, method }),
    ...periodOf(span),
    withEquity: draw !== undefined,
    onProgress: historyProgress(progress),
  });
  if (!read.ok) return failedRead(desk, read.fault);
  const portfolio = read.value;
  const list = portfolioText(portfolio);
  if (draw === undefined) return answered(desk, list, portfolio);
  const { assets, totals, equity = [] } = portfolio;
  const of = { portfolio: { assets, totals, equity }, environment: desk.environment };
  const { image, note } = await draw({ kind: "portfolio", reader: readerOf(person.words), of });
  const result = answered(desk, lines(list, note), portfolio);
  return { ...result, content: [...result.content, ...image] };
}

function portfolioText(portfolio: PortfolioView): string {
  const { account, assets, totals, period, method, as_of, warnings, equity } = portfolio;
  const krw = (figure: string | null): string => amountOr(figure, "KRW", "not known yet");
  const since = period.from === null ? "the first fill" : when(period.from);
  const how = method === "fifo" ? ", first in first out" : "";
  return lines(
    `Account ${quoted(account)} at ${when(as_of)}: worth ${krw(totals.value_krw)}. Known cost ${krw(totals.cost_krw)}, unrealized ${krw(totals.unrealized_krw)}.`,
    `From ${since} to ${when(period.to)}${how}: realized ${krw(totals.realized_krw)} after fees, fees ${krw(totals.fees_krw)}.`,
    ...assets.map(assetLine),
    ...warnings,
    equity && equityText(equity),
  );
}

/** Days whose values are written out. */
const WRITTEN_MAX = 31;

function equityText(equity: readonly EquityPoint[]): string {
  const days = equity.length <= WRITTEN_MAX ? equity : [...equity.slice(0, 1), ...equity.slice(1 - WRITTEN_MAX)];
  const left = equity.length - days.length;
  const values = days.map(({ date, value_krw }) => `${date} ${amount(value_krw, "KRW")}`);
  return `Equity at the end of each day${left === 0 ? "" : ` (${left} days after the first are in equity only)`}: ${values.join(", ")}.`;
}

function assetLine(line: PortfolioAsset): string {
  const { asset, average_cost, average_price, unrealized_krw, unrealized_pct, uncosted_volume } = line;
  const krw = (figure: string | null): string => amountOr(figure, "KRW", "not known yet");
  const held = `- ${asset}: ${amount(line.volume, asset)}, available ${amount(line.available, asset)}`;
  if (asset === "KRW") return held;
  const cost =
    average_cost === null || average_price === null
      ? ""
      : `, average cost ${krw(average_cost)} with fees, ${krw(average_price)} without`;
  const gain = unrealized_krw === null ? "" : `, unrealized ${krw(unrealized_krw)} (${unrealized_pct ?? "0"}%)`;
  const value = `, worth ${amountOr(line.value_krw, "KRW", "unknown: no price in KRW")}`;
  const unknown = isPositive(uncosted_volume) ? `, ${amount(uncosted_volume, asset)} without a known cost` : "";
  return `${held}${cost}${value}${gain}, realized ${krw(line.realized_krw)}, fees ${krw(line.fees_krw)}${unknown}`;
}
