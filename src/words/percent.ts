import { formatPercent, parseRate } from "../decimal/index.ts";

/** A change as a share of what it was: "+1.25%", "-0.40%". */
export function signedPercent(rate: string): string {
  const falling = rate.startsWith("-");
  const parsed = parseRate(falling ? rate.slice(1) : rate);
  return parsed.ok ? `${falling ? "-" : "+"}${formatPercent(parsed.value, 2)}` : rate;
}
