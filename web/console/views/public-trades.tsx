/** What others have traded last in the market that is looked at. */
import { assetsOf, plainPrice, quantityText } from "../figures.ts";
import { Time } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";

export const TRADES_SHOWN = 40;

export function PublicTrades() {
  const { live, symbol, market, words } = useConsole();
  const { say, shared } = words.value;
  const { quote } = assetsOf(symbol.value);
  const trades = (live.trades.value?.trades ?? [])
    .filter((trade) => trade.symbol === symbol.value)
    .slice(0, TRADES_SHOWN);
  return (
    <section class="panel prints" aria-label={say("prints.title")}>
      <h2>{say("prints.title")}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard */}
      <div class="scroll" tabIndex={0}>
        <table>
          <caption class="unseen">{say("prints.title")}</caption>
          <colgroup>
            <col class="time" />
            <col class="price" />
            <col class="volume" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{shared.say("column.time")}</th>
              <th scope="col" class="figure">
                {shared.say("column.price")} ({quote})
              </th>
              <th scope="col" class="figure">
                {shared.say("column.volume")}
              </th>
            </tr>
          </thead>
          <tbody>
            {trades.length === 0 && (
              <tr>
                <td class="none" colSpan={3}>
                  {say("prints.none")}
                </td>
              </tr>
            )}
            {trades.map(({ trade_id, time, side, price, volume }) => (
              <tr key={trade_id}>
                <td>
                  <Time at={time} />
                </td>
                <td class={`figure ${side === "buy" ? "up" : "down"}`}>
                  <span class="unseen">{shared.say(`side.${side}`)} </span>
                  {plainPrice(price, market.value?.tick_size)}
                </td>
                <td class="figure">{quantityText(volume)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
