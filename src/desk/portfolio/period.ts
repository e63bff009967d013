/** Owns what a period of the portfolio is in time. Source: decision 0028. */
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import { startOfDay, startOfYear } from "../core/local-time.ts";
import type { PortfolioRequest } from "../model/portfolio-report.ts";
import type { Span } from "./cost-basis.ts";

const DAY_MS = 86_400_000;

/** @param timeZone IANA name; undefined: the machine's */
export function spanOf(
  { period = "all", fromMs, toMs }: PortfolioRequest,
  nowMs: number,
  timeZone: string | undefined,
): Result<Span> {
  if (fromMs === undefined && toMs === undefined)
    return ok({ fromMs: beginningOf(period, nowMs, timeZone), toMs: nowMs });
  const span = { fromMs: fromMs ?? 0, toMs: Math.min(toMs ?? nowMs, nowMs) };
  if (span.fromMs <= span.toMs) return ok(span);
  return failed(localFault("ELocal:Invalid input", { message: "from is after to, or after now", field: "from" }));
}

function beginningOf(
  period: NonNullable<PortfolioRequest["period"]>,
  nowMs: number,
  timeZone: string | undefined,
): number {
  switch (period) {
    case "today":
      return startOfDay(nowMs, timeZone);
    case "7d":
      return nowMs - 7 * DAY_MS;
    case "30d":
      return nowMs - 30 * DAY_MS;
    case "year":
      return startOfYear(nowMs, timeZone);
    case "all":
      return 0;
    default:
      return period satisfies never;
  }
}
