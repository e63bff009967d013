/** What is open at the exchange, each with its cancel, and what waits for a person. */
import { useState } from "preact/hooks";
import type { ConsoleOpenOrders } from "../../../src/serve/console/console-api.ts";
import { assetsOf, plainPrice, quantityText, shareOf } from "../figures.ts";
import { AtExchange } from "../parts/exchange.tsx";
import { Pair, Time, Value } from "../parts/figure.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { approvalTitle, cancelNote, failureText, stateText } from "../words/said.ts";

export type Order = ConsoleOpenOrders["orders"][number];

/** The columns that every table of orders begins with. */
export function useOrderColumns(): readonly Column<Order>[] {
  const { say, shared } = useConsole().words.value;
  return [
    {
      head: shared.say("column.market"),
      isName: true,
      cell: ({ symbol, orderId }) => (
        <a href={hashOf({ view: "orders", of: orderId })}>
          <Pair symbol={symbol} />
        </a>
      ),
    },
    {
      head: shared.say("column.side"),
      cell: ({ side, type }) => (
        <>
          <span class={side === "buy" ? "up" : "down"}>{shared.say(`side.${side}`)}</span>{" "}
          <small>{shared.say(`type.${type}`)}</small>
        </>
      ),
    },
    {
      head: shared.say("column.price"),
      isFigure: true,
      cell: ({ price }) => plainPrice(price),
    },
    {
      head: shared.say("column.size"),
      isFigure: true,
      cell: ({ volume, amount, symbol }) => {
        const { base, quote } = assetsOf(symbol);
        return volume === null ? <Value of={amount} asset={quote} /> : <Value of={volume} asset={base} />;
      },
    },
    {
      head: say("column.filled"),
      isFigure: true,
      isWide: true,
      cell: ({ executed_volume, volume }) => (
        <>
          {quantityText(executed_volume)}
          {volume !== null && (
            <meter min={0} max={1} value={shareOf(executed_volume, volume)} aria-label={say("column.filled")} />
          )}
        </>
      ),
    },
  ];
}

export function OpenOrders() {
  const { live, words } = useConsole();
  const { say, shared } = words.value;
  const columns = useOrderColumns();
  const open = live.orders.value;
  return (
    <>
      <h2>
        {say("orders.open")} <AtExchange />
      </h2>
      <Table
        caption={say("orders.open")}
        isCaptionHidden
        columns={[
          ...columns,
          { head: shared.say("column.created"), isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { head: say("column.act"), cell: (order) => <CancelButton order={order} /> },
        ]}
        rows={open?.orders ?? []}
        keyOf={({ orderId }) => orderId}
        none={open === undefined ? say("page.loading") : say("orders.none_open")}
      />
      <Unresolved />
      <Waiting />
    </>
  );
}

function CancelButton({ order: { orderId, symbol } }: { readonly order: Order }) {
  const { write, words, notes, isCutOff } = useConsole();
  const { say } = words.value;
  const [isBusy, setBusy] = useState(false);
  const cancel = async (): Promise<void> => {
    setBusy(true);
    const answer = await write("cancel", { order_id: orderId });
    notes.tell(
      answer.ok
        ? cancelNote(answer.value, words.value)
        : { tone: "bad", title: say("outcome.failed"), lines: [failureText(answer, words.value, true)] },
    );
    setBusy(false);
  };
  return (
    <button
      type="button"
      class="small"
      disabled={isBusy || isCutOff.value}
      aria-label={say("act.cancel_order", { symbol })}
      onClick={() => void cancel()}
    >
      {say("act.cancel")}
    </button>
  );
}

/** Not sent yet, or without an answer: each leads to what is known of it. */
function Unresolved() {
  const { live, words } = useConsole();
  const unresolved = live.orders.value?.unresolved ?? [];
  if (unresolved.length === 0) return null;
  return (
    <ul class="waiting">
      {unresolved.map(({ intent_id, userref, symbol, state, since }) => (
        <li key={intent_id}>
          <a href={hashOf({ view: "orders", of: userref })}>{symbol}</a>{" "}
          <span class="state">{stateText(state, words.value)}</span>{" "}
          <span class="hint">
            {userref} <Time at={since} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Each leads to where it is decided. */
function Waiting() {
  const { live, words } = useConsole();
  const { say } = words.value;
  const waiting = live.orders.value?.waiting;
  const titleOf = (id: string): string | undefined => {
    const asked = live.approvals.value?.waiting.find((each) => each.id === id);
    return asked === undefined ? undefined : approvalTitle(asked, words.value);
  };
  if (waiting === undefined || waiting?.length === 0) return null;
  if (waiting === null) return <p class="notice warn">{say("approvals.unreadable")}</p>;
  return (
    <ul class="waiting">
      {waiting.map(({ intent_id, summary, expires_at }) => (
        <li key={intent_id}>
          <a href={hashOf({ view: "approvals" })}>{titleOf(intent_id) ?? summary}</a>{" "}
          <span class="hint">
            {say("approvals.until")} <Time at={expires_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
