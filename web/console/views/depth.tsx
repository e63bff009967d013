/** How much the book holds up to each price, on both sides of the middle. */
import type { ComponentChildren } from "preact";
import { assetsOf, drawn, priceText, quantityText } from "../figures.ts";
import { useConsole } from "../state/console.ts";

const WIDTH = 600;
const HEIGHT = 280;

type Level = readonly [price: string, volume: string];

/** Running sums from the best price outwards, for a picture. */
function sumsOf(levels: readonly Level[]): readonly { readonly price: number; readonly sum: number }[] {
  let sum = 0;
  return levels.map(([price, volume]) => {
    sum += drawn(volume);
    return { price: drawn(price), sum };
  });
}

/** @param children what is chosen above it */
export function Depth({ children }: { readonly children: ComponentChildren }) {
  const { live, symbol, words } = useConsole();
  const { say } = words.value;
  const { base, quote } = assetsOf(symbol.value);
  const book = live.book.value?.symbol === symbol.value ? live.book.value : undefined;
  const bids = sumsOf(book?.tick.buys ?? []);
  const asks = sumsOf(book?.tick.asks ?? []);
  const lowest = bids.at(-1)?.price ?? asks[0]?.price ?? 0;
  const highest = asks.at(-1)?.price ?? bids[0]?.price ?? 1;
  const most = Math.max(bids.at(-1)?.sum ?? 0, asks.at(-1)?.sum ?? 0);
  if (book === undefined || most === 0 || highest === lowest)
    return (
      <>
        <div class="pickers">{children}</div>
        <p class="hint">{say("chart.none")}</p>
      </>
    );
  const x = (price: number): number => ((price - lowest) / (highest - lowest)) * WIDTH;
  const y = (sum: number): number => HEIGHT - (sum / most) * (HEIGHT - 10);
  const stairs = (levels: typeof bids, edge: number): string => {
    const [first] = levels;
    if (first === undefined) return "";
    const steps = levels.map(({ price, sum }) => `H${x(price)}V${y(sum)}`).join("");
    return `M${x(first.price)} ${HEIGHT}${steps}H${edge}V${HEIGHT}Z`;
  };
  const label = say("chart.depth_label", {
    symbol: symbol.value,
    bids: `${quantityText((bids.at(-1)?.sum ?? 0).toFixed(4))} ${base}`,
    asks: `${quantityText((asks.at(-1)?.sum ?? 0).toFixed(4))} ${base}`,
  });
  return (
    <>
      <div class="pickers">{children}</div>
      <figure class="picture depth">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <path class="bids" d={stairs(bids, 0)} />
          <path class="asks" d={stairs(asks, WIDTH)} />
        </svg>
        <figcaption class="depth-scale">
          <span>{priceText(book.tick.buys.at(-1)?.[0], quote)}</span>
          <span>{priceText(book.mid, quote)}</span>
          <span>{priceText(book.tick.asks.at(-1)?.[0], quote)}</span>
        </figcaption>
      </figure>
    </>
  );
}
