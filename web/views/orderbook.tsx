/** The order book: asks above bids, each as long as what waits there, and what a size would cost. */
import type { BookView } from "../../src/mcp/person/view-data.ts";
import { amount, assetsOf } from "../../src/words/index.ts";
import { Badge, Failure, money, Refresh, useFresh } from "./parts.tsx";
import type { ViewProps } from "./view-props.ts";
import type { ViewWords } from "./words/view-words.ts";

/** Prices a side. */
const ROWS = 8;

interface Cost {
  readonly volume: string;
  readonly value: string;
  readonly fee: string;
  readonly fee_currency: string;
  readonly avg_price: string | null;
}

type Shown = BookView & { readonly environment: "sandbox" | "live"; readonly estimate?: Cost };

export function Orderbook(props: ViewProps) {
  const { words, given } = props;
  const { say, shared } = words;
  const { shown, refresh, state } = useFresh(props, "get_orderbook");
  const book = shown.structuredContent as Shown | undefined;
  if (book?.tick === undefined) return <Failure {...props} />;
  const { base, quote } = assetsOf(book.symbol);
  const asks = book.tick.asks.slice(0, ROWS);
  const bids = book.tick.buys.slice(0, ROWS);
  const most = Math.max(...[...asks, ...bids].map(([, volume]) => widthOf(volume)), 0);
  const rows = { words, base, quote, most };
  const name = say("book.name", { symbol: book.symbol });
  return (
    <article aria-label={name}>
      <header>
        <h1>{name}</h1>
        <Badge words={words} environment={book.environment} />
      </header>
      <table class="book">
        <caption class="hidden">{name}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">{say("book.price")}</th>
            <th scope="col">{say("book.volume")}</th>
          </tr>
        </thead>
        <Rows {...rows} side="asks" levels={asks.toReversed()} />
        <tbody>
          <tr class="mid">
            <td colSpan={2}>
              {book.mid === null
                ? say("book.one_sided")
                : say("book.mid", {
                    mid: shared.amount(book.mid, quote),
                    spread: shared.amount(book.spread ?? "0", quote),
                  })}
            </td>
          </tr>
        </tbody>
        <Rows {...rows} side="bids" levels={bids} />
      </table>
      {book.estimate && book.estimate.avg_price !== null && (
        <p class="box">
          {say(given["side"] === "sell" ? "cost.sell" : "cost.buy", {
            volume: shared.amount(book.estimate.volume, base),
            value: money(book.estimate.value, quote),
            average: money(book.estimate.avg_price, quote),
            fee: money(book.estimate.fee, book.estimate.fee_currency),
          })}
        </p>
      )}
      <Refresh words={words} state={state} time={book.time} onRefresh={() => void refresh()} />
    </article>
  );
}

interface RowsProps {
  readonly words: ViewWords;
  readonly base: string;
  readonly quote: string;
  readonly most: number;
  readonly side: "asks" | "bids";
  readonly levels: readonly (readonly [string, string])[];
}

function Rows({ words: { say, shared }, base, quote, most, side, levels }: RowsProps) {
  return (
    <tbody class={side} aria-label={say(`book.${side}`)}>
      {levels.map(([price, volume]) => (
        <tr key={price}>
          <th scope="row">{amount(price, quote)}</th>
          <td>
            <span class="bar" style={{ width: `${most === 0 ? 0 : (widthOf(volume) / most) * 100}%` }} />
            <span class="over">{shared.amount(volume, base)}</span>
          </td>
        </tr>
      ))}
    </tbody>
  );
}

function widthOf(volume: string): number {
  return Number(volume); // not money: a width
}
