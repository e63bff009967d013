/** The order book of the market that is looked at: what is asked above, what is bid below, one's own prices marked. */
import { assetsOf, drawn, plainPrice, quantityText, shareOf } from "../figures.ts";
import { useConsole } from "../state/console.ts";

export const LEVELS = 10;

type Level = readonly [price: string, volume: string];

export function Book() {
  const { live, symbol, market, words } = useConsole();
  const { say, shared } = words.value;
  const of = symbol.value;
  const { base, quote } = assetsOf(of);
  const tick = market.value?.tick_size;
  const book = live.book.value?.symbol === of ? live.book.value : undefined;
  const asks = book?.tick.asks.slice(0, LEVELS) ?? [];
  const bids = book?.tick.buys.slice(0, LEVELS) ?? [];
  const own = new Set(live.orders.value?.orders.filter((order) => order.symbol === of).map(({ price }) => price));
  const most = [...asks, ...bids].reduce((most, [, volume]) => (drawn(volume) > drawn(most) ? volume : most), "0");
  const row = (side: "ask" | "bid") => (level: Level) => (
    <tr key={level[0]} class={side} style={{ "--share": String(shareOf(level[1], most)) }}>
      <td class="figure">
        {own.has(level[0]) && (
          <span class="own" role="img" aria-label={say("book.own")} title={say("book.own")}>
            ●
          </span>
        )}
        {plainPrice(level[0], tick)}
      </td>
      <td class="figure">{quantityText(level[1])}</td>
    </tr>
  );
  return (
    <section class="panel book" aria-label={say("book.title")}>
      <h2>{say("book.title")}</h2>
      <table>
        <caption class="unseen">{say("book.title")}</caption>
        <colgroup>
          <col class="price" />
          <col class="volume" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" class="figure">
              {shared.say("column.price")} ({quote})
            </th>
            <th scope="col" class="figure">
              {shared.say("column.volume")} ({base})
            </th>
          </tr>
        </thead>
        <tbody>
          {[...asks].reverse().map(row("ask"))}
          <tr class="spread">
            <td colSpan={2}>
              {book === undefined
                ? say("page.loading")
                : shared.say("market.mid", {
                    mid: plainPrice(book.mid, tick),
                    spread: plainPrice(book.spread, tick),
                  })}
            </td>
          </tr>
          {bids.map(row("bid"))}
        </tbody>
      </table>
    </section>
  );
}
