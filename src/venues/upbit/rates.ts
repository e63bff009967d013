/**
 * How many calls Upbit takes, and what an answer says of that: what is left of the second, that it was too much (429), and that nothing is taken
 * for a while (418, longer each time).
 *
 * Source: SOURCES.md#rates.
 */
import { type LimitsIn, leftIn, pausesIn, type RateGroup, retryAfterMs } from "../../transport/index.ts";

const key = { windowMs: 1_000, scope: "key" } as const;
const address = { windowMs: 1_000, limit: 10, scope: "address" } as const;

/** Cancels of one order count in `default`; those of orders by the group of that name are few anyway. */
export const GROUPS = [
  { ...key, name: "default", limit: 30, reserved: 6 },
  { ...key, name: "order", limit: 12 },
  { ...key, name: "order-cancel-all", limit: 1, windowMs: 2_000 },
  { ...address, name: "market" },
  { ...address, name: "candle" },
  { ...address, name: "trade" },
  { ...address, name: "ticker" },
  { ...address, name: "orderbook" },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

/** The groups that a call counts in are known better than by the names in the header, which differ from the documented ones. */
export const limitsIn: LimitsIn = ({ status, headers, body }, charges, nowMs) => {
  if (status === 429) return pausesIn(headers, charges);
  if (status === 418) {
    const forMs = retryAfterMs(headers) ?? banMs(Buffer.from(body).toString(), nowMs);
    return charges.map(({ group }) => ({ kind: "ban", group, ...(forMs === undefined ? {} : { forMs }) }));
  }
  return leftIn(headers["remaining-req"], /\bsec=(\d{1,6})\b/, charges);
};

const UNITS = { s: 1_000, 초: 1_000, m: 60_000, 분: 60_000, h: 3_600_000, 시: 3_600_000 } as const;
const DAYS_3_MS = 259_200_000;

/** The longest that the text can mean: its form is not documented, and to wait too long does less harm. */
function banMs(text: string, nowMs: number): number | undefined {
  const moments = (text.match(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g) ?? []).map(
    Date.parse,
  );
  const spans = [...text.matchAll(/(\d{1,6})\s*(s|초|m(?!s)|분|h|시)/gi)].map(
    ([, count, unit = ""]) => nowMs + Number(count) * UNITS[unit.toLowerCase() as keyof typeof UNITS], // not money: a time
  );
  const stamps = (text.match(/\b\d{13}\b/g) ?? []).map(Number); // not money: a time
  const waits = [...moments, ...spans, ...stamps].map((atMs) => atMs - nowMs).filter((ms) => ms > 0 && ms <= DAYS_3_MS);
  return waits.length === 0 ? undefined : Math.max(...waits);
}
