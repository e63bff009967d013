/** The markets with their prices, to choose one from: found by symbol, and by their Korean and English names. */
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import type { ConsoleMarkets } from "../../../src/serve/console/console-api.ts";
import { assetsOf, compactWon, directionOf, plainPrice } from "../figures.ts";
import { Change } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { matchesMarket } from "./market-search.ts";

type Ticker = ConsoleMarkets["tickers"][number];

export function useTicker(symbol: string): Ticker | undefined {
  const { live } = useConsole();
  return live.tickers.value?.find((each) => each.symbol === symbol);
}

export function MarketList({ onChosen }: { readonly onChosen: () => void }) {
  const { markets, words, locale, symbol } = useConsole();
  const { say, shared } = words.value;
  const [wanted, setWanted] = useState("");
  const found = markets.value.filter((market) => matchesMarket(market, wanted));
  return (
    <section class="panel markets" aria-label={say("markets.title")}>
      <label class="search">
        <span class="unseen">{say("markets.search")}</span>
        <input
          type="search"
          value={wanted}
          placeholder={say("markets.search")}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      <table>
        <caption class="unseen">{say("markets.title")}</caption>
        <thead>
          <tr>
            <th scope="col">{shared.say("column.market")}</th>
            <th scope="col" class="figure">
              {shared.say("column.last")}
            </th>
            <th scope="col" class="figure">
              {shared.say("column.change")} <small>{shared.say("column.turnover")}</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.map((market) => (
            <MarketRow
              key={market.symbol}
              symbol={market.symbol}
              tick={market.tick_size}
              name={locale.value === "ko" ? market.korean_name : market.english_name}
              isChosen={market.symbol === symbol.value}
              onChosen={onChosen}
            />
          ))}
          {found.length === 0 && (
            <tr>
              <td colSpan={3} class="none">
                {say("markets.none")}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

interface MarketRowProps {
  readonly symbol: string;
  readonly tick: string;
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChosen: () => void;
}

function MarketRow({ symbol, tick, name, isChosen, onChosen }: MarketRowProps) {
  const { live, locale } = useConsole();
  const found = useComputed(() => live.tickers.value?.find((each) => each.symbol === symbol));
  const ticker = found.value;
  const { quote } = assetsOf(symbol);
  const turnover = ticker?.quote_volume ?? "0";
  const volume = quote === "KRW" ? compactWon(turnover, locale.value) : plainPrice(turnover);
  return (
    <tr class={isChosen ? "chosen" : ""}>
      <th scope="row">
        <a href={hashOf({ view: "trade", of: symbol })} aria-current={isChosen ? "true" : undefined} onClick={onChosen}>
          {name}
          <small>{symbol}</small>
        </a>
      </th>
      <td class={`figure ${directionOf(ticker?.change)}`}>{plainPrice(ticker?.last, tick)}</td>
      <td class="figure">
        <Change rate={ticker?.change_rate ?? null} />
        <small>{volume}</small>
      </td>
    </tr>
  );
}
