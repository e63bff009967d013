import { formatPercent, parseQuantity, parseRate, roundToStep } from "../decimal/index.ts";

/** A change as a share of what it was: "+1.25%", "-0.40%". */
export function signedPercent(rate: string): string {
  const falling = rate.startsWith("-");
  const parsed = parseRate(falling ? rate.slice(1) : rate);
  return parsed.ok ? `${falling ? "-" : "+"}${formatPercent(parsed.value, 2)}` : rate;
}

/** Writes what is in percent already: "1.2549" is "+1.25%", "-2" is "-2.00%". */
export function signedPercentage(percent: string): string {
  const isFalling = percent.startsWith("-");
  const parsed = parseQuantity(isFalling ? percent.slice(1) : percent);
  if (!parsed.ok) return percent;
  const rounded = roundToStep(parsed.value, 2, "half_even");
  const sign = rounded.isZero() ? "" : isFalling ? "-" : "+";
  const [integer = "", decimals = ""] = rounded.toString().split(".");
  return `${sign}${integer}.${decimals.padEnd(2, "0")}%`;
}
