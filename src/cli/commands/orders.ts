/** `hoga orders`: lists the account's orders: the open ones, or all of a period. */
import {
  defined,
  LIMITS,
  type Order,
  type OrderPage,
  type OrderStateFilter,
  ok,
  quoted,
} from "../../contract/index.ts";
import {
  type Desk,
  type Executed,
  type OpenOrdersView,
  orderStateOf,
  type Stamp,
  totalsByMarket,
} from "../../desk/index.ts";
import { assetsOf, type Words } from "../../words/index.ts";
import { unwrap } from "../failure.ts";
import { destinationOf, type HistoryOptions, handOut, headOf, localIso } from "../history.ts";
import type { Invocation } from "../invocation.ts";
import { localPeriod, type Period } from "../local-period.ts";
import type { NewFile } from "../new-file.ts";
import { readPages } from "../pages.ts";
import { right, table } from "../text/table.ts";
import { look } from "./look.ts";

export interface OrdersOptions extends HistoryOptions {
  /** Default: open, or all of a period. */
  readonly state?: OrderStateFilter;
  /** Default: 50, or all that is asked for as a period or as CSV. */
  readonly limit?: number;
}

const LISTED = 50;

export async function orders(options: OrdersOptions, run: Invocation): Promise<void> {
  const period = localPeriod(options, run.words.timeZone);
  const isPeriod = Object.keys(period).length > 0;
  const file = destinationOf(options);
  try {
    await look(run, options, async (desk) => {
      if (isPeriod || options.csv === true || file !== undefined) await history(run, desk, { options, period, file });
      else await latest(run, desk, options);
    });
  } finally {
    file?.close();
  }
}

async function latest(run: Invocation, desk: Desk, options: OrdersOptions): Promise<void> {
  const { out, words } = run;
  const { symbol, state = "open", limit = LISTED, json } = options;
  const asked = { limit: Math.min(limit, LIMITS.pageSizeMax), ...defined({ symbol }) };
  if (state === "open") {
    const open = unwrap(await desk.openOrders(asked));
    if (json === true) return out.printJson(open);
    out.print([listed(open, state, words), ...unresolvedLines(open, words)].join("\n"));
    return tellMore(open, run);
  }
  const page = unwrap(await desk.orders({ state, ...asked }));
  if (json === true) return out.printJson(page);
  out.print(listed(page, state, words));
  tellMore(page, run);
}

function tellMore(page: OrderPage, { out, words }: Invocation): void {
  if (page.next_cursor === null) return;
  out.notice(words.say("orders.more", { count: page.orders.length, most: LIMITS.pageSizeMax }));
}

interface Asked {
  readonly options: OrdersOptions;
  readonly period: Period;
  readonly file: NewFile | undefined;
}

async function history(run: Invocation, desk: Desk, { options, period, file }: Asked): Promise<void> {
  const { words } = run;
  const state = options.state ?? (Object.keys(period).length > 0 ? "all" : "open");
  let stamp: Stamp = { environment: desk.environment, account: "", unit: desk.unit };
  const found = await readPages<Order>(run, {
    timeOf: ({ created_at }) => created_at,
    max: options.limit ?? Number.POSITIVE_INFINITY,
    read: async (cursor) => {
      const asked = { ...period, state, limit: LIMITS.pageSizeMax, ...defined({ symbol: options.symbol, cursor }) };
      const page = await desk.orders(asked, { background: cursor !== undefined });
      if (!page.ok) return page;
      stamp = page.value;
      return ok({ entries: page.value.orders, next_cursor: page.value.next_cursor });
    },
  });
  const { environment, account, unit } = stamp;
  handOut(run, options, file, {
    ...{ environment, account, unit, period, count: found.length },
    totals: totalsByMarket(found.filter(({ executed_volume }) => executed_volume !== "0").map(executed)),
    content: { orders: found },
    head: headOf(
      words,
      stamp,
      period,
      words.say("history.orders", { count: found.length, state: words.say(`state.${state}`) }),
    ),
    table: () => tableOf(found, words),
    csv: () => ({
      heads: CSV.map(({ name }) => words.say(`csv.${name}`)),
      rows: found.map((order) => CSV.map(({ of }) => of(order, words.timeZone) ?? null)),
    }),
  });
}

function executed({ symbol, side, executed_volume: volume, executed_value: value = "0", ...order }: Order): Executed {
  const { fee = "0", fee_currency = symbol.split("/")[1] ?? "" } = order;
  return { symbol, side, volume, value, fee, fee_currency };
}

const CSV = [
  { name: "created", of: ({ created_at }: Order, timeZone: string) => localIso(created_at, timeZone) },
  { name: "updated", of: ({ updated_at }: Order, timeZone: string) => updated_at && localIso(updated_at, timeZone) },
  { name: "order_id", of: ({ orderId }: Order) => orderId },
  { name: "userref", of: ({ userref }: Order) => userref },
  { name: "symbol", of: ({ symbol }: Order) => symbol },
  { name: "side", of: ({ side }: Order) => side },
  { name: "type", of: ({ type }: Order) => type },
  { name: "time_in_force", of: ({ time_in_force }: Order) => time_in_force },
  { name: "post_only", of: ({ post_only }: Order) => post_only?.toString() },
  { name: "price", of: ({ price }: Order) => price },
  { name: "volume", of: ({ volume }: Order) => volume },
  { name: "amount", of: ({ amount }: Order) => amount },
  { name: "executed_volume", of: ({ executed_volume }: Order) => executed_volume },
  { name: "executed_value", of: ({ executed_value }: Order) => executed_value },
  { name: "avg_price", of: ({ avg_price }: Order) => avg_price },
  { name: "fee", of: ({ fee }: Order) => fee },
  { name: "fee_currency", of: ({ fee_currency }: Order) => fee_currency },
  { name: "state", of: orderStateOf },
  { name: "reject_reason", of: ({ reject_reason }: Order) => reject_reason },
] as const;

/** Shows what is not sent yet, or has no answer: nobody should think that it is not there. */
function unresolvedLines({ unresolved }: OpenOrdersView, { say, state, when }: Words): readonly string[] {
  return (unresolved ?? []).map(({ state: name, userref, symbol, since }) =>
    say("orders.unresolved", { state: state(name), userref, symbol, since: when(since) }),
  );
}

function listed(
  { orders: found, environment, account }: OrderPage & Stamp,
  state: OrderStateFilter,
  words: Words,
): string {
  const { say } = words;
  const whose = { money: say(`money.${environment}`), account: quoted(account) };
  if (found.length === 0) return say("orders.none", { ...whose, state: say(`state.${state}`) });
  return `${say("orders.head", whose)}\n${tableOf(found, words)}`;
}

function tableOf(found: readonly Order[], { say, when, figure, amount }: Words): string {
  const heads = [
    ...(["created", "market", "side", "type"] as const).map((name) => say(`column.${name}`)),
    ...(["price", "volume", "executed"] as const).map((name) => right(say(`column.${name}`))),
    ...(["state", "order_id"] as const).map((name) => say(`column.${name}`)),
  ];
  const rows = found.map((order) => [
    when(order.created_at),
    order.symbol,
    say(`side.${order.side}`),
    say(`type.${order.type}`),
    order.price === null ? say("type.market") : figure(order.price, assetsOf(order.symbol).quote),
    order.volume ?? amount(order.amount ?? "", assetsOf(order.symbol).quote),
    order.executed_volume,
    say(`state.${orderStateOf(order)}`),
    order.orderId,
  ]);
  return table(heads, rows);
}
