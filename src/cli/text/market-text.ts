/** Order books and prices as tables for people. */
import type { Ticker } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import type { BookView } from "../../desk/index.ts";
import { amount, signedPercent, type Words } from "../../words/index.ts";
import type { Paint } from "./paint.ts";
import { right, table } from "./table.ts";

type Level = readonly [price: string, volume: string];

/** Best prices in the middle, as at an exchange: asks above, bids below. */
export function bookText({ symbol, tick, mid, spread, time }: BookView, { say, when }: Words, paint: Paint): string {
  const [base = "", quote = ""] = symbol.split("/");
  const figure = (text: string | null, asset: string): string =>
    text === null ? say("market.none") : amount(text, asset);
  const row = (tone: "rise" | "fall", [price, volume, sum]: Level | readonly string[]): string[] => [
    paint(tone, figure(price ?? "", quote)),
    figure(volume ?? "", base),
    paint("faint", figure(sum ?? "", base)),
  ];
  const asks = summed(tick.asks)
    .toReversed()
    .map((level) => row("fall", level));
  const buys = summed(tick.buys).map((level) => row("rise", level));
  const heads = (["price", "volume", "sum"] as const).map((name) => right(say(`column.${name}`)));
  const middle = [paint("strong", say("market.mid", { mid: figure(mid, quote), spread: figure(spread, quote) }))];
  const [head = "", ...lines] = table(heads, [...asks, ...buys]).split("\n");
  return [
    `${paint("strong", symbol)}  ${when(time)}`,
    head,
    ...lines.slice(0, asks.length),
    ...middle,
    ...lines.slice(asks.length),
  ].join("\n");
}

/** Each with the volume down to it. */
function summed(levels: readonly Level[]): readonly (readonly string[])[] {
  let sum = quantity("0");
  return levels.map(([price, volume]) => {
    sum = sum.plus(quantity(volume));
    return [price, volume, sum.toString()];
  });
}

export function tickerText(tickers: readonly Ticker[], { say }: Words, paint: Paint): string {
  const heads = [
    say("column.market"),
    ...(["last", "change", "bid", "ask", "high", "low", "turnover"] as const).map((name) =>
      right(say(`column.${name}`)),
    ),
  ];
  const rows = tickers.map((ticker) => {
    const quote = ticker.symbol.split("/")[1] ?? "";
    const figure = (text: string | null): string => (text === null ? say("market.none") : amount(text, quote));
    const { change_rate: rate } = ticker;
    const change = rate === null ? say("market.none") : signedPercent(rate);
    const tone = rate === null || !/[1-9]/.test(rate) ? "faint" : rate.startsWith("-") ? "fall" : "rise";
    return [
      paint("strong", ticker.symbol),
      paint(tone, figure(ticker.last)),
      paint(tone, change),
      ...[ticker.best_bid, ticker.best_ask, ticker.high, ticker.low].map(figure),
      // Of billions nobody reads the fractions.
      figure(ticker.quote_volume.replace(/\..*$/, "")),
    ];
  });
  return table(heads, rows);
}
