/** A loopback server that answers each request as the test says, and the venue that talks to it. */
import { BithumbVenue } from "../../../src/venues/bithumb/venue.ts";
import { type Behaviour, reply, scriptedExchange } from "../scripted-exchange.ts";

export { hang, refuse, reply } from "../scripted-exchange.ts";

export async function world() {
  const { url, close: shut, ...exchange } = await scriptedExchange();
  const venue = new BithumbVenue({
    environment: "sandbox",
    baseUrl: url,
    credentials: { apiKey: "key-1", apiSecret: "canary-secret" },
    random: () => 0,
    timeouts: { totalMs: 800, deadlineMs: 2_500 },
  });
  const close = async (): Promise<void> => {
    await venue.close();
    await shut();
  };
  return { venue, close, ...exchange };
}

/** Answers by the beginning of the request line: the first that fits. */
export function routes(table: Readonly<Record<string, unknown>>): Behaviour {
  return (response, line) => {
    const [, answer] = Object.entries(table).find(([beginning]) => line.startsWith(beginning)) ?? [];
    (typeof answer === "function" ? (answer as Behaviour) : reply(answer ?? "", answer === undefined ? 500 : 200))(
      response,
      line,
    );
  };
}

export const ID = "C0101000003152406454";
export const NAME = "hg0123456789abcdef";

/** One order as another client shows it, with the fills that the exchange's page names. */
export const detail = {
  ...{ uuid: ID, side: "bid", ord_type: "limit", price: "95000000", state: "done", market: "KRW-BTC" },
  ...{ created_at: "2026-07-04T15:05:46+09:00", volume: "0.003", remaining_volume: "0", reserved_fee: "712.5" },
  ...{ remaining_fee: "0", paid_fee: "712.5", locked: "0", executed_volume: "0.003", executed_funds: "285000" },
  ...{ trades_count: 2, stp_type: "cancel_taker", client_order_id: NAME },
  trades: [
    {
      ...{ market: "KRW-BTC", uuid: "t-1", price: "95000000", volume: "0.001", funds: "95000", side: "bid" },
      created_at: "2026-07-04T15:05:47+09:00",
    },
    {
      ...{ market: "KRW-BTC", uuid: "t-2", price: "95000000", volume: "0.002", funds: "190000", side: "bid" },
      created_at: "2026-07-04T15:05:48+09:00",
    },
  ],
};

const { uuid: order_id, ord_type: order_type, trades: _trades, ...rest } = detail;
/** The same in a list. */
export const listed = { ...rest, order_id, order_type };

export const placed = {
  ...{ order_id: ID, market: "KRW-BTC", side: "bid", order_type: "limit", stp_type: "cancel_taker" },
  client_order_id: NAME,
};

export const page = (data: readonly unknown[], next_key: string | null = null) => ({
  ...{ data, has_next: next_key !== null, next_key },
});
