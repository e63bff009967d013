/** One's own orders: open and waiting, those that have ended, and the single fills. One of them opens with its whole story. */
import { useState } from "preact/hooks";
import type { ConsoleOrders } from "../../../src/serve/console/console-api.ts";
import { assetsOf } from "../figures.ts";
import { Choice } from "../parts/choice.tsx";
import { Average, Pair, Time } from "../parts/figure.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { usePages } from "../parts/pages.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { stateText } from "../words/said.ts";
import { type Fill, useFillColumns } from "./fill-columns.tsx";
import { OpenOrders, type Order, useOrderColumns } from "./open-orders.tsx";
import { OrderDetail } from "./order-detail.tsx";

export function OrdersView() {
  const { route, words } = useConsole();
  const { say } = words.value;
  const [past, setPast] = useState<"history" | "fills">("history");
  if (route.value.of !== undefined) return <OrderDetail key={route.value.of} name={route.value.of} />;
  return (
    <>
      <h1>{say("nav.orders")}</h1>
      <section class="panel">
        <OpenOrders />
      </section>
      <section class="panel">
        <Choice
          label={say("orders.past")}
          choices={[
            ["history", say("orders.history")],
            ["fills", say("orders.fills")],
          ]}
          chosen={past}
          onChoose={setPast}
        />
        {past === "history" ? <History /> : <Fills />}
      </section>
    </>
  );
}

function History() {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const { cursor, turner } = usePages();
  const reading = useReading("orders", { state: "closed", cursor }, ["history"]);
  const columns: readonly Column<Order>[] = [
    ...useOrderColumns(),
    { head: say("column.average"), isFigure: true, isWide: true, cell: averagePrice },
    { head: shared.say("column.state"), cell: ({ state }) => stateText(state, words.value) },
    { head: say("column.ended"), isWide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  return (
    <>
      <ReadingNotice of={reading} />
      {reading.value !== undefined && (
        <>
          <Table
            caption={say("orders.history")}
            isCaptionHidden
            columns={columns}
            rows={(reading.value satisfies ConsoleOrders).orders}
            keyOf={({ orderId }) => orderId}
            none={say("orders.none_past")}
          />
          {turner(reading.value.next_cursor)}
        </>
      )}
    </>
  );
}

function averagePrice({ avg_price, symbol }: Order) {
  return <Average of={avg_price} asset={assetsOf(symbol).quote} />;
}

function Fills() {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const { cursor, turner } = usePages();
  const reading = useReading("fills", { cursor }, ["fills"]);
  const columns: readonly Column<Fill>[] = [
    {
      head: shared.say("column.market"),
      isName: true,
      cell: ({ symbol, orderId }) => (
        <a href={hashOf({ view: "orders", of: orderId })}>
          <Pair symbol={symbol} />
        </a>
      ),
    },
    ...useFillColumns(),
  ];
  return (
    <>
      <ReadingNotice of={reading} />
      {reading.value !== undefined && (
        <>
          <Table
            caption={say("orders.fills")}
            isCaptionHidden
            columns={columns}
            rows={reading.value.trades}
            keyOf={({ trade_id }) => trade_id}
            none={say("orders.none_fills")}
          />
          {turner(reading.value.next_cursor)}
        </>
      )}
    </>
  );
}
