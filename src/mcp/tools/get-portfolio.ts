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
import { asset as oneAsset } from "../input/field.ts";
import { type Draw, withPicture } from "../pictures/picture.ts";
import { readerOf } from "../pictures/picture-request.ts";
import { amount, amountOr, isPositive } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { historyProgress, historyReading } from "../tool/history-reading.ts";
import { from, periodOf, to } from "../tool/period.ts";
import { accountResult, closed, listOf, maybe, text, texts } from "../tool/result-shape.ts";
import { defineTool, type ToolCall } from "../tool/tool.ts";
import { ofAsset } from "./get-balances.ts";

const input = z
  .strictObject({
    period: z.enum(PORTFOLIO_PERIODS).optional(),
    from,
    to,
    method: z.enum(["average", "fifo"]).optional(),
    asset: oneAsset,
    chart: z.boolean().optional().describe("Adds a PNG"),
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
  value: maybe,
  unrealized: maybe,
  unrealized_pct: maybe,
  realized: maybe,
  fees: maybe,
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
      value: text,
      cost: maybe,
      unrealized: maybe,
      realized: maybe,
      fees: maybe,
    }),
    period: closed<PortfolioView["period"]>({ name: maybe, from: maybe, to: text, timezone: text }),
    method: text,
    as_of: text,
    warnings: texts,
    reading: historyReading,
    unread: text,
    equity: listOf(closed<EquityPoint>({ date: text, value: text })),
  }),
  run: (request, call) =>
    request.chart === true ? withPicture(call, (draw) => look(request, call, draw)) : look(request, call),
});

async function look(
  { period, method, asset: only, ...asked }: z.infer<typeof input>,
  { desk, person, progress }: ToolCall,
  draw?: Draw,
): Promise<CallToolResult> {
  const { chart: _, ...span } = asked;
  const read = await desk.portfolio({
    ...defined({ period, method }),
    ...periodOf(span, desk),
    withEquity: draw !== undefined,
    onProgress: historyProgress(progress),
  });
  if (!read.ok) return failedRead(desk, read.fault);
  const portfolio = read.value;
  const content = { ...portfolio, assets: ofAsset(portfolio.assets, only) };
  if (draw === undefined) return bounded(desk, content, portfolioText);
  const { assets, totals, unit, equity = [] } = portfolio;
  const of = { portfolio: { assets, totals, equity, unit }, environment: desk.environment };
  const { image, note } = await draw({ kind: "portfolio", reader: readerOf(person.words), of });
  const result = bounded(desk, content, (view) => lines(portfolioText(view), note));
  return { ...result, content: [...result.content, ...image] };
}

function portfolioText(portfolio: PortfolioView): string {
  const { account, assets, totals, period, method, as_of, warnings, equity, unit } = portfolio;
  const sum = (figure: string | null): string => amountOr(figure, unit, "not known yet");
  const since = period.from ?? "the first fill";
  const how = method === "fifo" ? ", first in first out" : "";
  return lines(
    `Account ${quoted(account)} now, at ${as_of}: worth ${sum(totals.value)}. Known cost ${sum(totals.cost)}, unrealized ${sum(totals.unrealized)}.`,
    ...assets.flatMap((line) => heldLine(line, unit)),
    `In the period from ${since} to ${period.to}${how}: realized ${sum(totals.realized)} after fees, fees ${sum(totals.fees)}.`,
    ...assets.flatMap((line) => earnedLine(line, unit)),
    ...warnings,
    equity && equityText(equity, unit),
  );
}

/** Days whose values are written out. */
const WRITTEN_MAX = 31;

function equityText(equity: readonly EquityPoint[], unit: string): string {
  const days = equity.length <= WRITTEN_MAX ? equity : [...equity.slice(0, 1), ...equity.slice(1 - WRITTEN_MAX)];
  const left = equity.length - days.length;
  const values = days.map(({ date, value }) => `${date} ${amount(value, unit)}`);
  return `Equity at the end of each day of UTC${left === 0 ? "" : ` (${left} days after the first are in equity only)`}: ${values.join(", ")}.`;
}

/** Tells what is held now. What is not held any more has a line of the period alone. */
function heldLine(line: PortfolioAsset, unit: string): readonly string[] {
  const { asset, average_cost, average_price, unrealized, unrealized_pct, uncosted_volume } = line;
  const sum = (figure: string | null): string => amountOr(figure, unit, "not known yet");
  const held = `- ${asset}: ${amount(line.volume, asset)}, available ${amount(line.available, asset)}`;
  if (asset === unit) return [held];
  if (!isPositive(line.volume)) return [];
  const cost =
    average_cost === null || average_price === null
      ? ""
      : `, average cost ${sum(average_cost)} with fees, ${sum(average_price)} without`;
  const gain = unrealized === null ? "" : `, unrealized ${sum(unrealized)} (${unrealized_pct ?? "0"}%)`;
  const value = `, worth ${amountOr(line.value, unit, `unknown: no price in ${unit}`)}`;
  const unknown = isPositive(uncosted_volume) ? `, ${amount(uncosted_volume, asset)} without a known cost` : "";
  return [`${held}${cost}${value}${gain}${unknown}`];
}

/** Tells what the period earned; nothing where it brought nothing. */
function earnedLine({ asset, realized, fees }: PortfolioAsset, unit: string): readonly string[] {
  if (asset === unit || realized === null || (isZero(realized) && isZero(fees))) return [];
  return [`- ${asset}: realized ${amount(realized, unit)}, fees ${amountOr(fees, unit, "not known yet")}`];
}

function isZero(figure: string | null): boolean {
  return figure === null || !/[1-9]/.test(figure);
}
