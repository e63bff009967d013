/** The candles of the market that is looked at, moved on by its public trades. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { assetsOf, priceText } from "../figures.ts";
import { Choice } from "../parts/choice.tsx";
import { Notice } from "../parts/notice.tsx";
import { PicturePlace } from "../parts/picture.tsx";
import type { Answer, Viewed } from "../request.ts";
import { useConsole } from "../state/console.ts";
import { failureText } from "../words/said.ts";
import { INTERVALS, type Interval, withTrades } from "./candles.ts";
import { drawnLevels, PlanLevels, usePlansOf } from "./plan-lines.tsx";

const AGAIN_MS = 15_000;

/** @param children what else is chosen beside the interval */
export function CandleChart({ children }: { readonly children: ComponentChildren }) {
  const { symbol, words, market, live } = useConsole();
  const { say, shared } = words.value;
  const [interval, setInterval] = useState<Interval>("1m");
  const of = symbol.value;
  const answer = useCandles(of, interval);
  const trades = live.trades.value?.trades;
  const candles = useMemo(() => {
    if (answer === undefined || !answer.ok) return undefined;
    return withTrades(
      answer.value.candles,
      interval,
      (trades ?? []).filter((trade) => trade.symbol === of),
    );
  }, [answer, trades]);
  const plans = usePlansOf(of);
  const levels = useMemo(() => drawnLevels(plans, words.value), [plans, words.value]);
  const picture = useMemo(() => candles && { candles, levels }, [candles, levels]);
  const decimals = market.value?.price_decimals ?? 0;
  const last = candles?.at(-1);
  const shift = (time: string): number => {
    const [day = "", clock = ""] = shared.when(time).split(" ");
    return Date.parse(`${day}T${clock}Z`);
  };
  return (
    <>
      <div class="pickers">
        {children}
        <Choice
          label={say("chart.interval")}
          choices={(Object.keys(INTERVALS) as Interval[]).map((name) => [name, say(`interval.${name}`)])}
          chosen={interval}
          onChoose={setInterval}
        />
      </div>
      <PlanLevels plans={plans} />
      {answer !== undefined && !answer.ok && <Notice tone="warn">{failureText(answer, words.value)}</Notice>}
      {candles?.length === 0 && <p class="hint">{say("chart.none")}</p>}
      <PicturePlace
        of={`${of} ${interval} ${shared.timeZone}`}
        label={say("chart.label", {
          symbol: of,
          interval: say(`interval.${interval}`),
          last: priceText(last?.close, assetsOf(of).quote),
        })}
        data={picture}
        make={(library, host) => library.candlePicture(host, decimals, shift)}
      />
    </>
  );
}

/** Those of another market or interval are gone at once; newer ones of the same replace them when they are there. */
function useCandles(symbol: string, interval: Interval): Answer<Viewed<"candles">> | undefined {
  const { read } = useConsole();
  const [found, setFound] = useState<{ readonly of: string; readonly answer: Answer<Viewed<"candles">> }>();
  const of = `${symbol} ${interval}`;
  useEffect(() => {
    let isWanted = true;
    const look = async (): Promise<void> => {
      if (document.hidden || symbol === "") return;
      const answer = await read("candles", { symbol, interval });
      if (isWanted) setFound({ of, answer });
    };
    void look();
    const timer = globalThis.setInterval(() => void look(), AGAIN_MS);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [of]);
  return found?.of === of ? found.answer : undefined;
}
