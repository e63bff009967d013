/** One order: what it is, its fills, and every step of it in the audit log. */

import { evidenceWords } from "../../../src/words/index.ts";
import { assetsOf, priceText } from "../figures.ts";
import { Average, Time, Value } from "../parts/figure.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { stateText } from "../words/said.ts";
import { AuditRows, ChainState } from "./audit.tsx";
import { useFillColumns } from "./fill-columns.tsx";
import type { Order } from "./open-orders.tsx";

const ORDER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param name the exchange's id of it, or its userref */
export function OrderDetail({ name }: { readonly name: string }) {
  const { words } = useConsole();
  const { say } = words.value;
  const query = ORDER_ID.test(name) ? { order_id: name } : { userref: name };
  const reading = useReading("order", query, ["history", "fills"]);
  const audit = useReading("audit", { ...query, limit: "100" }, ["audit"]);
  const columns = useFillColumns();
  const { order, evidence } = reading.value ?? {};
  return (
    <>
      <p>
        <a href={hashOf({ view: "orders" })}>← {say("nav.orders")}</a>
      </p>
      <h1>
        {order === undefined ? say("orders.one") : order.symbol}{" "}
        {reading.value !== undefined && <span class="state">{stateText(reading.value.state, words.value)}</span>}
      </h1>
      <ReadingNotice of={reading} />
      {evidence !== undefined && <p class="notice warn">{evidenceWords(evidence, words.value.shared)}</p>}
      {order !== undefined && <OrderFacts order={order} />}
      {order !== undefined && (
        <section class="panel">
          <h2>{say("orders.fills")}</h2>
          <Table
            caption={say("orders.fills")}
            isCaptionHidden
            columns={columns}
            rows={order.trades ?? []}
            keyOf={({ trade_id }) => trade_id}
            none={say("orders.none_fills")}
          />
        </section>
      )}
      <section class="panel">
        <h2>{say("audit.story")}</h2>
        <ReadingNotice of={audit} />
        {audit.value !== undefined && (
          <>
            <ChainState chain={audit.value.chain} />
            <AuditRows entries={[...audit.value.entries].reverse()} caption={say("audit.story")} isOfOneOrder />
          </>
        )}
      </section>
    </>
  );
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const { base, quote } = assetsOf(order.symbol);
  const { time_in_force: told, post_only: isPostOnly } = order;
  const said = told === undefined ? "–" : shared.say(`lifetime.${told}`);
  const lifetime = isPostOnly ? shared.say("lifetime.post_only") : said;
  const facts = [
    [
      shared.say("column.side"),
      `${shared.say(`side.${order.side}`)} · ${shared.say(`type.${order.type}`)} · ${lifetime}`,
    ],
    [shared.say("column.price"), order.price === null ? shared.say("type.market") : priceText(order.price, quote)],
    [
      shared.say("column.size"),
      order.volume === null ? <Value of={order.amount} asset={quote} /> : <Value of={order.volume} asset={base} />,
    ],
    [say("column.filled"), <Value key="filled" of={order.executed_volume} asset={base} />],
    [shared.say("column.value"), <Value key="value" of={order.executed_value} asset={quote} />],
    [say("column.average"), <Average key="average" of={order.avg_price} asset={quote} />],
    [shared.say("column.fee"), <Value key="fee" of={order.fee} asset={order.fee_currency ?? quote ?? ""} />],
    [shared.say("column.created"), <Time key="created" at={order.created_at} />],
    [say("column.changed"), <Time key="changed" at={order.updated_at} />],
    [shared.say("column.order_id"), <code key="id">{order.orderId}</code>],
    ["userref", <code key="userref">{order.userref ?? "–"}</code>],
  ] as const;
  return (
    <dl class="panel facts grid">
      {facts.map(([head, shown]) => (
        <div key={head}>
          <dt>{head}</dt>
          <dd>{shown}</dd>
        </div>
      ))}
      {order.reject_reason !== null && (
        <div>
          <dt>{say("outcome.rejected")}</dt>
          <dd>{order.reject_reason}</dd>
        </div>
      )}
    </dl>
  );
}
