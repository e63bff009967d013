import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered, type Coinone, CoinoneClient, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
let paper: CoinoneClient;

async function start(venueRateFactor = 1, variant = "newest"): Promise<void> {
  coinone = await openCoinone({ limits: { venueRateFactor }, variant });
  ({ paper } = coinone);
}
beforeEach(() => start());
afterEach(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

const later = (ms: number): void => {
  coinone.venue.clock.now += ms;
};

describe("the rates", () => {
  it("are 80 questions a second of an account, said in a header while some are left", async () => {
    const other = new CoinoneClient(paper.baseUrl, coinone.venue.addKey().credentials);
    for (let left = 79; left > 0; left--)
      expect((await paper.post("account/balance/all")).headers["private-ratelimit-remaining"]).toBe(String(left));
    expect((await other.post("account/balance/all")).headers).not.toHaveProperty("private-ratelimit-remaining");
    expect(refusal(await paper.post("account/balance/all"))).toBe("4");
    answered(await coinone.maker.post("account/balance/all"));
    later(1_000);
    answered(await paper.post("account/balance/all"));
  });

  it("are 40 orders and cancellations a second, and a refused one is not carried out", async () => {
    for (let left = 39; left >= 0; left--) {
      const { headers } = await paper.order();
      expect(headers["private-order-ratelimit-remaining"]).toBe(left === 0 ? undefined : String(left));
    }
    expect(refusal(await paper.order())).toBe("4");
    expect(refusal(await paper.cancel({ order_id: "0" }))).toBe("4");
    answered(await paper.post("order/active_orders"));
    expect(coinone.venue.sandbox.exchange.orders("paper", { limit: 100 }).orders).toHaveLength(40);
  });

  const tickerLeft = async () => (await paper.open("ticker_new/KRW/BTC")).headers["public-ratelimit-remaining"];
  const again = async (venueRateFactor: number, variant?: string): Promise<void> => {
    await coinone.venue.sandbox.close();
    await start(venueRateFactor, variant);
  };

  it("are 1200 public requests a minute of an address", async () => {
    expect(await tickerLeft()).toBe("1199");
    await again(0.01);
    for (let left = 11; left > 0; left--) expect(await tickerLeft()).toBe(String(left));
    expect(await tickerLeft()).toBeUndefined();
    expect((await paper.open("ticker_new/KRW/BTC")).json).toEqual({
      result: "error",
      error_code: "4",
      error_msg: "Blocked user access",
    });
    later(60_000);
    answered(await paper.open("ticker_new/KRW/BTC"));
  });

  it("are 300 with the other variant, where who goes on is blocked for a minute, in the older names", async () => {
    await again(1, "other");
    expect(await tickerLeft()).toBe("299");
    await again(0.01, "other");
    for (let count = 0; count < 3; count++) await tickerLeft();
    later(59_000);
    const blocked = { result: "error", errorCode: "4", errorMsg: "Blocked user access" };
    expect((await paper.open("ticker_new/KRW/BTC")).json).toEqual(blocked);
    later(59_999);
    expect((await paper.open("ticker_new/KRW/BTC")).json).toEqual(blocked);
    later(1);
    answered(await paper.open("ticker_new/KRW/BTC"));
  });
});
