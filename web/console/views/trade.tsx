/** The markets, and the one that is looked at: its candles or depth, its book, its public trades, and what is open of one's own. */
import { useMemo, useState } from "preact/hooks";
import { assetsOf, directionOf, plainPrice, priceText, quantityText, shortTime } from "../figures.ts";
import { Choice } from "../parts/choice.tsx";
import { Change, Value } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";
import { type FigureWidths, figureWidths } from "../state/figure-widths.ts";
import { Book, LEVELS } from "./book.tsx";
import { CandleChart } from "./candle-view.tsx";
import { Depth } from "./depth.tsx";
import { MarketList, useTicker } from "./market-list.tsx";
import { OpenOrders } from "./open-orders.tsx";
import { PublicTrades, TRADES_SHOWN } from "./public-trades.tsx";

export function TradeView() {
  const { symbol, words } = useConsole();
  const { say } = words.value;
  const [isListOpen, setListOpen] = useState(false);
  const [picture, setPicture] = useState<"candles" | "depth">("candles");
  const kinds = (
    <Choice
      label={say("chart.kind")}
      choices={[
        ["candles", say("chart.candles")],
        ["depth", say("chart.depth")],
      ]}
      chosen={picture}
      onChoose={setPicture}
    />
  );
  const widths = Object.entries(useFigureWidths()).map(([name, digits]) => [`--${name}`, String(digits)]);
  return (
    <div class="trade" style={Object.fromEntries(widths)}>
      <div class={isListOpen ? "trade-markets open" : "trade-markets"}>
        <MarketList onChosen={() => setListOpen(false)} />
      </div>
      <section class="trade-market panel" aria-label={symbol.value}>
        <MarketHead isListOpen={isListOpen} onList={() => setListOpen(!isListOpen)} />
        {picture === "candles" ? <CandleChart>{kinds}</CandleChart> : <Depth>{kinds}</Depth>}
      </section>
      <Book />
      <PublicTrades />
      <section class="trade-orders panel">
        <OpenOrders />
      </section>
    </div>
  );
}

/** Of the book and of the trades together, which stand beside each other. */
function useFigureWidths(): FigureWidths {
  const { live, symbol, market, words, now } = useConsole();
  const widths = useMemo(
    () =>
      figureWidths(symbol, () => {
        const of = symbol.value;
        const tick = market.value?.tick_size;
        const { when } = words.value.shared;
        const today = when(now.peek());
        const { asks = [], buys = [] } = live.book.value?.symbol === of ? live.book.value.tick : {};
        const levels = [...asks.slice(0, LEVELS), ...buys.slice(0, LEVELS)];
        const trades = (live.trades.value?.trades ?? []).filter((trade) => trade.symbol === of).slice(0, TRADES_SHOWN);
        return {
          time: trades.map((trade) => shortTime(when(trade.time), today)),
          price: [...levels.map(([price]) => price), ...trades.map(({ price }) => price)].map((price) =>
            plainPrice(price, tick),
          ),
          asked: levels.map(([, volume]) => quantityText(volume)),
          traded: trades.map(({ volume }) => quantityText(volume)),
        };
      }),
    [],
  );
  return widths.value;
}

function MarketHead({ isListOpen, onList }: { readonly isListOpen: boolean; readonly onList: () => void }) {
  const { symbol, words, market: looked, locale } = useConsole();
  const { say, shared } = words.value;
  const market = looked.value;
  const ticker = useTicker(symbol.value);
  const { base, quote } = assetsOf(symbol.value);
  const name = locale.value === "ko" ? market?.korean_name : market?.english_name;
  const facts: readonly (readonly [string, string])[] = [
    [shared.say("column.high"), priceText(ticker?.high, quote)],
    [shared.say("column.low"), priceText(ticker?.low, quote)],
  ];
  return (
    <header class="market-head">
      <h1>
        {name ?? symbol.value} <small>{symbol.value}</small>
      </h1>
      <button type="button" class="list-toggle" aria-expanded={isListOpen} onClick={onList}>
        {say("markets.all")}
      </button>
      <p class="market-price">
        <strong class={directionOf(ticker?.change)}>{priceText(ticker?.last, quote)}</strong>{" "}
        <Change rate={ticker?.change_rate ?? null} />
      </p>
      {market !== undefined && market.status !== "trading" && (
        <p class="notice warn">{say(`market.${market.status}`)}</p>
      )}
      <dl class="facts">
        {facts.map(([head, shown]) => (
          <div key={head}>
            <dt>{head}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
        <div>
          <dt>{say("column.volume_24h")}</dt>
          <dd>
            <Value of={ticker?.volume} asset={base} />
          </dd>
        </div>
        <div>
          <dt>{shared.say("column.turnover")}</dt>
          <dd>
            <Value of={ticker?.quote_volume} asset={quote} />
          </dd>
        </div>
      </dl>
    </header>
  );
}
