/** Calls of an exchange's client, as many and as fast as its rates let it. */
import type { SharedBudgets } from "../../../src/transport/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { BithumbVenue } from "../../../src/venues/bithumb/venue.ts";
import { UpbitVenue } from "../../../src/venues/upbit/venue.ts";

export interface FloodJob {
  readonly exchange: "upbit" | "bithumb";
  readonly baseUrl: string;
  readonly key: { readonly apiKey: string; readonly apiSecret: string };
  /** Of two looks at the market, one at the account, an order and its cancel. */
  readonly rounds: number;
  readonly atMs: number;
}

/** How many there were, by endpoint and status. */
export type Answers = Readonly<Record<string, number>>;

export async function flood(
  { exchange, baseUrl, key, rounds, atMs }: FloodJob,
  budgets: SharedBudgets,
): Promise<Answers> {
  const answers: Record<string, number> = {};
  const Client = exchange === "upbit" ? UpbitVenue : BithumbVenue;
  const venue = new Client({
    ...{ environment: "sandbox", baseUrl, credentials: key, budgets, timeouts: { deadlineMs: 60_000 } },
    onEvent: (event) => {
      if (event.type !== "request_ended") return;
      const name = `${event.endpoint} ${event.status ?? "none"}`;
      answers[name] = (answers[name] ?? 0) + 1;
    },
  });
  await systemClock.sleep(Math.max(0, atMs - Date.now()));
  await Promise.all(
    Array.from({ length: rounds }, async (_, n) => {
      await Promise.all([venue.tickers(["BTC/KRW"]), venue.orderbook("BTC/KRW"), venue.accounts()]);
      const placed = await venue.submit({
        ...{ symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001" },
        price: String(80_000_000 + n * 10_000),
        userref: `hg${String(process.pid).padStart(10, "0")}${String(n).padStart(6, "0")}`,
      });
      if (placed.ok) await venue.cancel("BTC/KRW", placed.value.orderId);
    }),
  );
  await venue.close();
  return answers;
}
