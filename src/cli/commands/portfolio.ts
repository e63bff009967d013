/** `hoga portfolio`: what is held, what it cost, is worth and earned, in the words of the tool `get_portfolio`, or in Korean. */
import { defined, quoted } from "../../contract/index.ts";
import type { PortfolioAsset, PortfolioView } from "../../desk/index.ts";
import { TOOLS } from "../../mcp/index.ts";
import { shortAmount, shortened, type Words } from "../../words/index.ts";
import { composeCommand } from "../composition/compose.ts";
import type { Invocation } from "../invocation.ts";
import { localPeriod, type PeriodOptions } from "../local-period.ts";
import { Progress } from "../pages.ts";
import { right, table } from "../text/table.ts";
import { type CallOptions, callWith, type ToolResult } from "./call.ts";

export interface PortfolioOptions extends CallOptions, PeriodOptions {
  readonly period?: string;
  readonly method?: string;
}

export async function portfolio(options: PortfolioOptions, run: Invocation): Promise<void> {
  const tool = TOOLS.find(({ name }) => name === "get_portfolio");
  if (tool === undefined) throw new Error("there is no tool get_portfolio");
  const { period, method } = options;
  const { fromMs, toMs } = localPeriod(options, run.words.timeZone);
  const iso = (ms: number | undefined): string | undefined => (ms === undefined ? ms : new Date(ms).toISOString());
  const raw = defined({ period, method, from: iso(fromMs), to: iso(toMs) });
  const inWords = ({ structuredContent }: ToolResult): string =>
    koreanPortfolio(structuredContent as unknown as PortfolioView, run.words);
  const progress = new Progress(run);
  // A person waits until all is read, which an assistant is not let to.
  const again = ({ structuredContent }: ToolResult): boolean => {
    const { reading } = (structuredContent ?? {}) as Partial<PortfolioView>;
    if (reading === undefined) progress.end();
    else if (reading.back_to !== null) progress.show(reading.trades, reading.back_to);
    return reading !== undefined;
  };
  const shown = { ...options, again, ...(run.words.locale === "ko" ? { inWords } : {}) };
  try {
    await callWith(run, composeCommand(run, options.profile), tool, raw, shown);
  } finally {
    progress.end();
  }
}

/** In English it is the text of the tool `get_portfolio`. */
function koreanPortfolio(view: PortfolioView, words: Words): string {
  const { account, assets, totals, period, method, as_of, warnings, unit } = view;
  const { say, when } = words;
  const won = (text: string | null): string =>
    text === null ? "아직 모름" : words.amount(shortened(text, unit), unit);
  const since = period.from === null ? "첫 체결" : when(period.from);
  const earned = assets.flatMap((asset) => earnedIn(asset, unit));
  const how = method === "fifo" ? ", 선입선출" : "";
  return [
    `${say(`money.${view.environment}`)} 계좌 ${quoted(account)}, 지금 ${when(as_of)}`,
    `평가 금액 ${won(totals.value)}. 매수 원가 ${won(totals.cost)}, 평가 손익 ${won(totals.unrealized)}.`,
    table(
      ["자산", ...["보유", "주문 가능", "평단가", "평가 금액", "평가 손익", "원가 모름"].map(right)],
      assets.map((asset) => held(asset, unit)),
    ),
    `기간 ${since} ~ ${when(period.to)}${how}: 수수료를 뺀 실현 손익 ${won(totals.realized)}, 수수료 ${won(totals.fees)}.`,
    ...(earned.length === 0 ? [] : [table(["자산", ...["실현 손익", "수수료"].map(right)], earned)]),
    ...warnings.map((text) => say("told.warning", { text: words.told(text) })),
  ].join("\n");
}

/** Tells what the period earned; nothing where it brought nothing. */
function earnedIn({ asset, realized, fees }: PortfolioAsset, unit: string): readonly (readonly string[])[] {
  const figures = [realized, fees].map((figure) => figure ?? "0");
  return figures.some((figure) => /[1-9]/.test(figure))
    ? [[asset, ...figures.map((figure) => shortAmount(figure, unit))]]
    : [];
}

/** Tells what is held now. */
function held(line: PortfolioAsset, unit: string): readonly string[] {
  const { asset, volume, available, average_cost, value, unrealized, unrealized_pct, uncosted_volume } = line;
  const sum = (text: string | null): string => (text === null ? "–" : shortAmount(text, unit));
  const gain = unrealized === null ? "–" : `${sum(unrealized)} (${unrealized_pct ?? "0"}%)`;
  return [
    asset,
    shortAmount(volume, asset),
    shortAmount(available, asset),
    sum(average_cost),
    sum(value),
    gain,
    uncosted_volume === null ? "–" : shortAmount(uncosted_volume, asset),
  ];
}
