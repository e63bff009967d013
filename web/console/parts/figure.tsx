/** Figures as people write them, with the exact one behind, and times by the session's clock. */

import { signedPercent, signedPercentage } from "../../../src/words/index.ts";
import { assetsOf, averageText, directionOf, shortTime, signed, valueText } from "../figures.ts";
import { useConsole } from "../state/console.ts";

interface FigureProps {
  readonly of: string | null | undefined;
  /** The unit of account, if no other is named. */
  readonly asset?: string;
}

/** What sums are counted in. */
export function useUnit(): string {
  return useConsole().session.value.unit;
}

/** An amount of money or coins. */
export function Value({ of, asset = useUnit() }: FigureProps) {
  return <Exact of={of} asset={asset} shown={valueText(of, asset)} />;
}

/** What a coin costs on average. */
export function Average({ of, asset = useUnit() }: FigureProps) {
  return <Exact of={of} asset={asset} shown={averageText(of, asset)} />;
}

/** A line may end before the unit, never in the figure. */
function Exact({ of, asset, shown }: Required<FigureProps> & { readonly shown: string }) {
  const [figure = "", ...unit] = shown.split(" ");
  return (
    <span title={of === null || of === undefined ? undefined : `${of} ${asset}`}>
      <span class="whole">{figure}</span>
      {unit.length > 0 && ` ${unit.join(" ")}`}
    </span>
  );
}

/** The symbol of a market, which a narrow column has in two lines. */
export function Pair({ symbol }: { readonly symbol: string }) {
  const { base, quote } = assetsOf(symbol);
  return (
    <>
      {base}/<wbr />
      {quote}
    </>
  );
}

/** A profit or loss: its sign, and the colour of what rises or falls. */
export function Gain({
  of,
  asset = useUnit(),
  pct,
}: {
  readonly of: string | null;
  readonly asset?: string;
  readonly pct?: string | null;
}) {
  return (
    <span class={directionOf(of)} title={of === null ? undefined : `${of} ${asset}`}>
      <span class="whole">{signed(valueText(of, asset))}</span>
      {pct !== undefined && pct !== null && <small> {signedPercentage(pct)}</small>}
    </span>
  );
}

/** A rate as the exchange has it: "0.0125" is "+1.25%". */
export function Change({ rate }: { readonly rate: string | null }) {
  return <span class={directionOf(rate)}>{rate === null ? "–" : signedPercent(rate)}</span>;
}

/** The clock of today, the date of another day; all of it behind. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const { words, now } = useConsole();
  const { when } = words.value.shared;
  if (at === null || at === undefined) return <>–</>;
  const full = when(at);
  return (
    <time dateTime={at} title={full}>
      {shortTime(full, when(now.peek()))}
    </time>
  );
}
