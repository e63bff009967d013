/**
 * What must hold of every schedule, whatever went wrong in it. One function each; a new promise of the desk is a new entry of the
 * list.
 */
import type { OrderRequest } from "../../src/desk/index.ts";
import { canMove } from "../../src/desk/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import { BUDGET_INVARIANTS } from "./budgets.ts";
import { CHANGE_INVARIANTS } from "./changes.ts";
import type { History, Invariant, Move, StoredIntent, Violation } from "./history.ts";
import { REST_INVARIANTS } from "./holds.ts";
import { PLAN_INVARIANTS } from "./plan-invariants.ts";
import type { Told } from "./script.ts";
import { TRANSFER_INVARIANTS } from "./transfer-invariants.ts";
import { DEPOSITS, type SimVenue, unitsOf } from "./venue.ts";
import { isForeign, WIRES } from "./wire.ts";
import { CLAIMS, stateOf } from "./words.ts";

export const INVARIANTS: readonly Invariant[] = [
  { name: "an intent has at most one order", broken: doubled },
  { name: "a wish has at most as many orders as it was asked for", broken: wishDoubled },
  { name: "every order has its intent, and what an intent says is so", broken: intentsUntrue },
  { name: "an intent moves as the table allows", broken: forbiddenMoves },
  { name: "what settles an intent is the venue's word", broken: movesWithoutEvidence },
  { name: "an unknown ends by what is found, a final absence, or a person", broken: endedByAge },
  { name: "what was told is true", broken: toldUntrue },
  { name: "at rest an order is shown as the venue has it", broken: viewsUntrue },
  { name: "at rest lists and balances are the venue's", broken: booksUntrue },
  { name: "balances follow from deposits, fills and transfers", broken: balancesUntrue },
  { name: "nonces rise", broken: noncesOutOfOrder },
  ...BUDGET_INVARIANTS,
  ...REST_INVARIANTS,
  ...CHANGE_INVARIANTS,
  ...TRANSFER_INVARIANTS,
  ...PLAN_INVARIANTS,
  { name: "a cancel timer goes off", broken: ({ rest }) => (rest.isArmed ? ["it still stands"] : []) },
  { name: "reconciling again changes nothing", broken: restless },
  { name: "a late request changes nothing", broken: lateEffects },
  { name: "the venue has no defect", broken: ({ venue }) => venue.defects.map(String) },
];

export function violationsOf(history: History): readonly Violation[] {
  const found = INVARIANTS.flatMap(({ name, broken }) => broken(history).map((what) => ({ invariant: name, what })));
  return [...history.noticed, ...found];
}

/** By name, how many requests took effect that a person had called lost, where only a person can: such a one may come later than anybody has looked. */
function lateForPeople({ plan, venue, intents, moves }: History): (userref: string) => number {
  const names = new Map(intents.map(({ intentId, userref }) => [intentId, userref]));
  const called = plan.setting.fence ? [] : moves.filter(({ to, isByPerson }) => isByPerson && to === "not_placed");
  const isEffective = effectiveAt(venue);
  return (userref) =>
    called.filter(
      ({ intentId, nonce }) => names.get(intentId) === userref && nonce !== null && isEffective(userref, nonce),
    ).length;
}

function doubled(history: History): readonly string[] {
  const counts = new Map<string, number>();
  const lateFor = lateForPeople(history);
  for (const { userref } of history.venue.orders()) counts.set(String(userref), (counts.get(String(userref)) ?? 0) + 1);
  return [...counts]
    .filter(([userref, count]) => count > 1 + lateFor(userref))
    .map(([userref, count]) => `${userref}: ${count} orders`);
}

/** Orders are told apart by their fields here, whatever name they bear; those in the place of others are no wish. */
function wishDoubled(history: History): readonly string[] {
  const { plan, venue, asked, intents } = history;
  const lateFor = lateForPeople(history);
  const instead = new Set(intents.flatMap(({ replaces, userref }) => (replaces === undefined ? [] : [userref])));
  const orders = venue.orders().filter(({ userref }) => !instead.has(userref ?? "") && !isOfPlan(userref));
  return plan.wishes.flatMap((wish, index) => {
    const own = orders.filter((order) => isOf(order, wish));
    const late = [...new Set(own.map(({ userref }) => String(userref)))].reduce((sum, name) => sum + lateFor(name), 0);
    const count = own.length - late;
    const most = Math.min(asked.get(index) ?? 0, wish.userref === undefined ? Number.POSITIVE_INFINITY : 1);
    return count > most ? [`wish ${index}: ${count} orders, asked for ${most}`] : [];
  });
}

/** By the name that follows from the step. */
export function isOfPlan(userref: string | null): boolean {
  return userref?.startsWith("p-") === true;
}

function isOf(order: OrderRecord, wish: OrderRequest): boolean {
  const same = (units: bigint | null, text: string | undefined): boolean =>
    text === undefined ? units === null : units === unitsOf(text);
  return (
    order.symbol === wish.symbol &&
    order.side === wish.side &&
    same(order.volume, wish.base_volume) &&
    same(order.amount, wish.quote_amount)
  );
}

function intentsUntrue({ plan, venue, intents, forgotten }: History): readonly string[] {
  const orders = venue.orders();
  const found: string[] = [];
  for (const intent of intents) {
    if (forgotten.has(intent.userref)) continue;
    const own = orders.filter(({ userref }) => userref === intent.userref);
    const problem = claimProblem(intent, own, plan.setting.fence);
    if (problem !== undefined) found.push(`${intent.userref} is ${intent.state}: ${problem}`);
  }
  const known = new Set(intents.map(({ userref }) => userref));
  for (const { userref, orderId } of orders)
    if (userref === null || !(known.has(userref) || forgotten.has(userref)))
      found.push(`order ${orderId} (${userref}) has no intent`);
  return found;
}

function claimProblem(
  { state, orderId }: StoredIntent,
  own: readonly OrderRecord[],
  isFenced: boolean,
): string | undefined {
  const [order] = own;
  switch (CLAIMS[state]) {
    case "none":
    case "no_order":
      return order === undefined ? undefined : "but the venue has its order";
    case "unsettled":
      return "nobody settled it";
    case "order":
      if (order === undefined) return "but the venue has no order";
      if (order.orderId !== orderId) return `but it names order ${orderId}`;
      // Without the fence nobody ever knows that a cancel without an answer is dead.
      if (state === "cancel_requested" && order.state === "open" && !isFenced) return undefined;
      return stateOf(order) === state ? undefined : `but its order is ${stateOf(order)}`;
  }
}

function forbiddenMoves({ moves }: History): readonly string[] {
  return moves.flatMap(({ intentId, from, to }) =>
    from === undefined || canMove(from, to) ? [] : [`${intentId}: ${from} → ${to}`],
  );
}

/** Whether a request of this name and nonce took effect at the venue. */
function effectiveAt({ arrivals }: SimVenue): (userref: string | undefined, nonce: string) => boolean {
  const effective = new Set(
    arrivals.flatMap(({ taken, nonce }) => (taken === undefined ? [] : [`${taken.userref} ${nonce}`])),
  );
  return (userref, nonce) => effective.has(`${userref} ${nonce}`);
}

/** Judged by the request that the intent stood for at the time: its name and its nonce. */
function movesWithoutEvidence({ plan, venue, intents, moves, forgotten }: History): readonly string[] {
  const isEffective = effectiveAt(venue);
  const names = new Map(intents.map(({ intentId, userref }) => [intentId, userref]));
  return moves.flatMap(({ intentId, to, nonce, isByPerson }) => {
    // It may come later than a person has looked, and counts then.
    if (isByPerson && !plan.setting.fence) return [];
    if (forgotten.has(names.get(intentId) ?? "")) return [];
    const claim = CLAIMS[to];
    const hadEffect = nonce !== null && isEffective(names.get(intentId), nonce);
    if (claim === "no_order" && hadEffect) return [`${intentId} became ${to}, but its request ${nonce} took effect`];
    if (claim === "order" && !hadEffect) return [`${intentId} became ${to}, but its request ${nonce} had no effect`];
    return [];
  });
}

/** Where no absence is final, only a person can say that there is none, or the exchange's refusal, or who was to send it and did not. */
function endedByAge({ plan, moves, intents, departures }: History): readonly string[] {
  if (plan.setting.fence) return [];
  const names = new Map(intents.map(({ intentId, userref }) => [intentId, userref]));
  const hasLeft = ({ intentId, nonce: of }: Move): boolean =>
    departures.some(({ order, nonce }) => nonce === of && order?.userref === names.get(intentId));
  return moves.flatMap((move) => {
    const { intentId, from, to, isByPerson, isRefused } = move;
    const isByAge = from === "unknown" && to === "not_placed" && !isByPerson && !isRefused && hasLeft(move);
    return isByAge ? [`${intentId} was taken for not placed by nobody`] : [];
  });
}

/**
 * Nothing was sent, or is there, by these words. `denied` is only said of this asking, and what waits for a person may be approved while
 * who says so stands still.
 */
function saysNothingLeft({ by, outcome, state }: Told): boolean {
  const isOfNow = state === "denied" || state === "awaiting_approval";
  return by === "place" ? outcome === "not_sent" && !isOfNow : state === "not_placed";
}

function toldUntrue({ plan, venue, told, intents, moves, forgotten }: History): readonly string[] {
  const orders = venue.orders();
  const settled = new Set(moves.filter(({ isByPerson }) => isByPerson).map(({ intentId }) => intentId));
  const byWord = new Set(intents.filter(({ intentId }) => settled.has(intentId)).map(({ userref }) => userref));
  const isEffective = effectiveAt(venue);
  const tookEffect = ({ userref, departed }: Told): boolean =>
    departed.some(
      ({ order, nonce }) => order !== undefined && order.userref === userref && isEffective(userref, nonce),
    );
  return told.flatMap((each) => {
    const { by, userref, orderId, outcome, state } = each;
    if (forgotten.has(userref ?? "")) return [];
    const own = orders.filter((order) =>
      orderId === undefined ? order.userref === userref : order.orderId === orderId,
    );
    const name = `${by} of ${userref ?? orderId}: told ${outcome ?? ""} ${state}`;
    if (by === "place" && outcome === "accepted" && own.length === 0) return [`${name}, there is no order`];
    if (by === "place" && outcome === "rejected" && own.length > 0) return [`${name}, but there is an order`];
    const isByWord = !plan.setting.fence && byWord.has(userref ?? "");
    if (saysNothingLeft(each) && tookEffect(each) && !isByWord) return [`${name}, but what had left took effect`];
    const isFinal = state === "canceled" || state === "filled" || state === "expired";
    if (isFinal && own.some((order) => order.state !== state)) return [`${name}, it is ${own[0]?.state}`];
    return [];
  });
}

function viewsUntrue({ venue, rest, forgotten }: History): readonly string[] {
  const orders = venue.orders();
  return [...rest.views].flatMap(([userref, view]) => {
    if (forgotten.has(userref)) return [];
    const order = orders.find((each) => each.userref === userref);
    const word = order === undefined ? undefined : stateOf(order);
    if (typeof view === "string") return [`${userref} cannot be looked up: ${view}`];
    if (order === undefined) return view.order === undefined ? [] : [`${userref} has no order, looked up with one`];
    return view.order?.orderId === order.orderId && view.state === word
      ? []
      : [`${userref} is ${word}, looked up as ${view.state}`];
  });
}

function booksUntrue({ plan, venue, rest }: History): readonly string[] {
  if (!("books" in rest)) return [];
  const { books } = rest;
  if (books === undefined) return ["they cannot be had"];
  const found: string[] = [];
  // What is not listed for ever may be listed still.
  const { isListed } = WIRES[plan.venue];
  const orders = venue.orders().filter((order) => isListed?.(order, venue.nowMs) ?? true);
  const shown = new Map(books.orders.map((order) => [order.orderId, order]));
  if (isListed === undefined && shown.size !== orders.length)
    found.push(`${shown.size} orders shown, ${orders.length} there`);
  for (const { orderId, state, executedVolume, executedValue, fee } of orders) {
    const order = shown.get(orderId);
    // Others say less of an order in a list.
    const said = (text: string | undefined, units: bigint): boolean =>
      text === undefined && isForeign(plan.venue) ? true : unitsOf(text ?? "0") === units;
    const isSame =
      order?.state === state &&
      unitsOf(order.executed_volume) === executedVolume &&
      said(order.executed_value, executedValue) &&
      said(order.fee, fee);
    if (!isSame) found.push(`order ${orderId} is ${state}, shown as ${order?.state}`);
  }
  const fills = venue.fills().filter(({ orderId }) => orders.some((order) => order.orderId === orderId));
  // Other exchanges have ids of their own for what the engine numbers.
  const nameOfFill = (trade: string | number, orderId: string, volume: bigint): string =>
    isForeign(plan.venue) ? `${volume} of ${orderId}` : `${trade} of ${orderId}`;
  const shownFills = books.fills.map((fill) => nameOfFill(fill.trade_id, fill.orderId, unitsOf(fill.volume)));
  // Of an order there may be two of the same volume.
  const worth = (name: string): readonly string[] =>
    books.fills.filter((_fill, index) => shownFills[index] === name).map((fill) => fill.value);
  for (const { tradeSeq, orderId, volume, value } of fills) {
    const name = nameOfFill(tradeSeq, orderId, volume);
    const told = worth(name);
    if (told.length === 0) found.push(`fill ${name} is not shown`);
    else if (!told.some((text) => isExactly(text, value)))
      found.push(`fill ${name} is worth ${value}, shown as ${told.join(", ")}`);
  }
  if (isListed === undefined && shownFills.length !== fills.length)
    found.push(`${shownFills.length} fills shown, ${fills.length} there`);
  for (const { asset, available, locked } of venue.balances()) {
    const balance = books.balances.find((each) => each.asset === asset);
    if (balance === undefined || unitsOf(balance.available) !== available || unitsOf(balance.locked) !== locked)
      found.push(`${asset}: ${available} available and ${locked} locked, shown ${JSON.stringify(balance)}`);
  }
  return found;
}

/** To the last digit, however many there are. */
function isExactly(text: string, units: bigint): boolean {
  const [whole = "", fraction = ""] = text.split(".");
  return unitsOf(`${whole}.${fraction.slice(0, 8)}`) === units && /^0*$/.test(fraction.slice(8));
}

/** Drawn up anew from deposits, fills and transfers, in whole units. */
function balancesUntrue({ venue }: History): readonly string[] {
  const expected = new Map(Object.entries(DEPOSITS));
  const add = (asset: string, units: bigint): void => {
    expected.set(asset, (expected.get(asset) ?? 0n) + units);
  };
  for (const { symbol, side, volume, value, fee } of venue.fills()) {
    const [base = "", quote = ""] = symbol.split("/");
    const sign = side === "buy" ? 1n : -1n;
    add(base, sign * volume);
    add(quote, -sign * value - fee);
  }
  for (const { paidAt, amount, payAsset, payAmount, refunded, refundedPay } of venue.payments()) {
    if (paidAt === null) continue;
    add("KRW", amount - refunded);
    add(payAsset, refundedPay - payAmount);
  }
  for (const { state, quote } of venue.remittances())
    if (state === "sent" || state === "completed") add(quote.sourceAsset, -quote.sourceAmount);
  const found = venue.balances().flatMap(({ asset, available, locked }) => {
    const units = expected.get(asset);
    return available + locked === units ? [] : [`${asset}: ${available + locked} units, expected ${units}`];
  });
  for (const asset of Object.keys(DEPOSITS)) {
    const { total, deposited } = venue.conservation(asset);
    if (total !== deposited) found.push(`${asset}: ${total} units at the venue, ${deposited} paid in`);
  }
  return found;
}

function noncesOutOfOrder({ venue }: History): readonly string[] {
  const last = new Map<string, bigint>();
  return venue.nonces.flatMap(({ keyId, nonce }) => {
    const before = last.get(keyId) ?? 0n;
    last.set(keyId, nonce);
    return nonce > before ? [] : [`${keyId}: ${nonce} after ${before}`];
  });
}

function restless({ rest }: History): readonly string[] {
  const { report, changed } = rest.again;
  const { fault, ...counts } = report;
  if (fault !== undefined) return [`it failed: ${fault.code}`];
  return changed ? [`it changed the store: ${JSON.stringify(counts)}`] : [];
}

function lateEffects({ venue, ordersBeforeLate }: History): readonly string[] {
  const count = venue.orders().length;
  return count === ordersBeforeLate ? [] : [`${count} orders, ${ordersBeforeLate} before`];
}
