/**
 * The conditions of a query of the archive as SQL. Entry points: `orderConditions`, `fillConditions`, `Conditions`.
 *
 * Invariant: orders are in order of time and position at once, and so are fills of time and number, so each list can be read along one
 * index.
 */
import type { FillScope, OrderScope, PlacedOrder } from "../state/order-archive.ts";

export type Value = string | number;

/** Conditions of which all hold, and the values of their placeholders. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: Value[] = [];

  /** Adds a condition unless a value is not given. */
  add(text: string, ...values: readonly (Value | undefined)[]): this {
    const given = values.filter((value) => value !== undefined);
    if (given.length < values.length) return this;
    this.#texts.push(text);
    this.values.push(...given);
    return this;
  }

  get text(): string {
    return this.#texts.join(" AND ");
  }
}

export function orderConditions(accountId: string, scope: OrderScope): Conditions {
  const { symbol, states, userref, before, until, after, since, beforeId, sinceId } = scope;
  const conditions = new Conditions()
    .add("account = ?", accountId)
    .add("userref = ?", userref)
    .add("symbol = ?", symbol)
    .add("order_id < ?", beforeId)
    .add("order_id >= ?", sinceId);
  addPlace(conditions, ["<=", "<"], before);
  addPlace(conditions, ["<=", "<="], until);
  addPlace(conditions, [">=", ">"], after);
  addPlace(conditions, [">=", ">="], since);
  if (states !== undefined) conditions.add(`state IN (${states.map(() => "?").join(", ")})`, ...states);
  addPeriod(conditions, scope);
  return conditions;
}

/** The time says where in the index the place is. */
function addPlace(conditions: Conditions, [time, position]: readonly [string, string], place?: PlacedOrder): void {
  conditions.add(
    `created_at ${time} ? AND position ${position} ?`,
    ...(place === undefined ? [undefined] : [place.record.createdAt, place.position]),
  );
}

function addPeriod(conditions: Conditions, { from, to, by = "created" }: OrderScope): void {
  if (by !== "either") {
    conditions.add(`${by}_at >= ?`, from).add(`${by}_at <= ?`, to);
    return;
  }
  const [first, last] = [from ?? Number.MIN_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER];
  if (from === undefined && to === undefined) return;
  conditions.add("(created_at BETWEEN ? AND ? OR updated_at BETWEEN ? AND ?)", first, last, first, last);
}

/** Says where in the index of times the fills before a number begin. */
const NOT_AFTER =
  "time <= (SELECT time FROM fills WHERE account = ? AND trade_seq < ? ORDER BY trade_seq DESC LIMIT 1)";

export function fillConditions(accountId: string, scope: FillScope): Conditions {
  const { symbol, from, to, beforeSeq, afterSeq } = scope;
  const isByTime = from !== undefined || to !== undefined;
  return new Conditions()
    .add("account = ?", accountId)
    .add("symbol = ?", symbol)
    .add("time >= ?", from)
    .add("time <= ?", to)
    .add("trade_seq < ?", beforeSeq)
    .add(NOT_AFTER, isByTime ? accountId : undefined, beforeSeq)
    .add("trade_seq > ?", afterSeq);
}
