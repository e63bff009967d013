/** The columns of fills, in the history and in a single order. */
import type { ConsoleFills } from "../../../src/serve/console/console-api.ts";
import { assetsOf, priceText } from "../figures.ts";
import { Time, Value } from "../parts/figure.tsx";
import type { Column } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";

export type Fill = ConsoleFills["trades"][number];

export function useFillColumns(): readonly Column<Fill>[] {
  const { shared } = useConsole().words.value;
  return [
    { head: shared.say("column.time"), cell: ({ time }) => <Time at={time} /> },
    {
      head: shared.say("column.side"),
      cell: ({ side }) => <span class={side === "buy" ? "up" : "down"}>{shared.say(`side.${side}`)}</span>,
    },
    {
      head: shared.say("column.price"),
      isFigure: true,
      cell: ({ price, symbol }) => priceText(price, assetsOf(symbol).quote),
    },
    {
      head: shared.say("column.volume"),
      isFigure: true,
      cell: ({ volume, symbol }) => <Value of={volume} asset={assetsOf(symbol).base} />,
    },
    {
      head: shared.say("column.value"),
      isFigure: true,
      isWide: true,
      cell: ({ value, symbol }) => <Value of={value} asset={assetsOf(symbol).quote} />,
    },
    {
      head: shared.say("column.fee"),
      isFigure: true,
      isWide: true,
      cell: ({ fee, fee_currency }) => <Value of={fee} asset={fee_currency} />,
    },
  ];
}
