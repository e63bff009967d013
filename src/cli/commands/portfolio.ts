/** `hoga portfolio`: what is held, what it cost, is worth and earned, in the words of the tool `get_portfolio`, or in Korean. */
import { defined } from "../../contract/index.ts";
import type { PortfolioView } from "../../desk/index.ts";
import { TOOLS } from "../../mcp/index.ts";
import { composeCommand } from "../composition/compose.ts";
import type { Invocation } from "../invocation.ts";
import { localPeriod, type PeriodOptions } from "../local-period.ts";
import { Progress } from "../pages.ts";
import { koreanPortfolio } from "../text/portfolio-text.ts";
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
