/** Orders and fills as JSON-safe rows, in snapshots and in the archive. Entry points: `written`, `readOrder`, `readFill`. */
import type { FillRecord, OrderRecord } from "../../model/index.ts";

/** A record with its BigInts as decimal text. */
export type Written<T> = {
  readonly [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : T[K];
};

/** A copy whose BigInts are replaced: made anew from its entries it would take six times as long, and each order is written once. */
export function written<T extends object>(record: T): Written<T> {
  const row = { ...(record as Record<string, unknown>) };
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = value.toString();
  }
  return row as Written<T>;
}

export function readOrder(row: Written<OrderRecord>): OrderRecord {
  return {
    ...row,
    price: unitsOrNull(row.price),
    volume: unitsOrNull(row.volume),
    amount: unitsOrNull(row.amount),
    executedVolume: BigInt(row.executedVolume),
    executedValue: BigInt(row.executedValue),
    fee: BigInt(row.fee),
  };
}

export function readFill(row: Written<FillRecord>): FillRecord {
  const [price, volume, value, fee] = [BigInt(row.price), BigInt(row.volume), BigInt(row.value), BigInt(row.fee)];
  return { ...row, price, volume, value, fee };
}

function unitsOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
