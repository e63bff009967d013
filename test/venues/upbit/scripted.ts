/** A loopback server that answers each request as the test says, and the venue that talks to it. */
import { type UpbitOptions, UpbitVenue } from "../../../src/venues/upbit/venue.ts";
import { scriptedExchange } from "../scripted-exchange.ts";

export { hang, refuse, reply } from "../scripted-exchange.ts";

export async function world(options: Partial<UpbitOptions> = {}) {
  const { url, close: shut, ...exchange } = await scriptedExchange();
  const venue = new UpbitVenue({
    environment: "sandbox",
    baseUrl: url,
    credentials: { apiKey: "key-1", apiSecret: "canary-secret" },
    random: () => 0,
    timeouts: { totalMs: 800, deadlineMs: 900 },
    ...options,
  });
  const close = async (): Promise<void> => {
    await venue.close();
    await shut();
  };
  return { venue, close, ...exchange };
}

export const ID = "9ca023a5-851b-4fec-9f0a-48cd83c2eaae";

/** The documented example of one order, retyped. */
export const detail = {
  ...{ market: "KRW-BTC", uuid: ID, side: "ask", ord_type: "limit", price: "140000000", state: "done" },
  ...{ created_at: "2025-07-04T15:00:00+09:00", volume: "1.0", remaining_volume: "0.0", executed_volume: "1.0" },
  ...{ reserved_fee: "0.0", remaining_fee: "0.0", paid_fee: "70000.0", locked: "0.0", trades_count: 2 },
  ...{ prevented_volume: "0", prevented_locked: "0", identifier: "hg0123456789abcdef" },
  trades: [
    {
      ...{ market: "KRW-BTC", uuid: "t-1", price: "140000000", volume: "0.3", funds: "42000000.0", side: "ask" },
      created_at: "2025-07-04T15:00:02+09:00",
    },
    {
      ...{ market: "KRW-BTC", uuid: "t-2", price: "140000000", volume: "0.7", funds: "98000000.0", side: "ask" },
      created_at: "2025-07-04T15:00:03+09:00",
    },
  ],
};
