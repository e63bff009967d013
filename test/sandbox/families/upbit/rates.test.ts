import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openUpbit, refusal, type Upbit, UpbitClient } from "./upbit-client.ts";

let upbit: Upbit;
let paper: UpbitClient;
beforeEach(async () => {
  upbit = await openUpbit({ limits: { venueRateFactor: 1 } });
  ({ paper } = upbit);
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const later = (ms: number): void => {
  upbit.venue.clock.now += ms;
};

describe("the rates", () => {
  it("are counted for each group, and said in a header", async () => {
    for (let left = 29; left >= 0; left--)
      expect((await paper.get("accounts")).headers["remaining-req"]).toBe(`group=default; min=1800; sec=${left}`);
    const { status, text, headers } = await paper.get("orders/open");
    expect([status, text, headers["content-type"]]).toEqual([
      429,
      "Too many API requests.",
      "text/plain;charset=utf-8",
    ]);
    expect(headers["remaining-req"]).toBe("group=default; min=1800; sec=0");
    expect((await paper.order()).headers["remaining-req"]).toBe("group=order; min=720; sec=11");
    later(1_000);
    expect((await paper.get("accounts")).status).toBe(200);
  });

  it("are twelve orders a second of an account, whichever key it uses", async () => {
    const other = new UpbitClient(paper.baseUrl, upbit.venue.addKey().credentials);
    for (let count = 0; count < 12; count++) expect((await paper.order()).status).toBe(201);
    expect((await other.order()).status).toBe(429);
    expect((await upbit.maker.order()).status).toBe(201);
    expect(upbit.venue.sandbox.exchange.orders("paper", { limit: 100 }).orders).toHaveLength(12);
  });

  it("are one cancellation of all in two seconds, eight tests in one, ten quotations of a kind", async () => {
    expect((await paper.delete("orders/open")).status).toBe(200);
    later(1_999);
    expect((await paper.delete("orders/open")).status).toBe(429);
    later(1);
    expect((await paper.delete("orders/open")).status).toBe(200);
    const body = { market: "KRW-BTC", side: "bid", volume: "0.001", price: "90000000", ord_type: "limit" };
    for (let count = 0; count < 8; count++) expect((await paper.post("orders/test", body)).status).toBe(201);
    expect((await paper.post("orders/test", body)).status).toBe(429);
    for (let count = 0; count < 10; count++) expect((await paper.open("market/all")).status).toBe(200);
    expect((await paper.open("market/all")).status).toBe(429);
    expect((await paper.open("orderbook?markets=KRW-BTC")).headers["remaining-req"]).toBe(
      "group=orderbook; min=600; sec=9",
    );
  });

  it("are five connections of the stream in a second", async () => {
    const connect = async (): Promise<string> => {
      const web = new WebSocket(upbit.venue.sandbox.streamUrl);
      const outcome = await new Promise<string>((resolve) =>
        web.once("open", () => resolve("open")).once("error", ({ message }) => resolve(message)),
      );
      web.terminate();
      return outcome;
    };
    for (let count = 0; count < 5; count++) expect(await connect()).toBe("open");
    expect(await connect()).toContain("429");
    later(1_000);
    expect(await connect()).toBe("open");
  });

  it("are one in ten seconds for a request that names a page", async () => {
    const headers = { Origin: "https://example.com" };
    expect((await paper.open("market/all", headers)).status).toBe(200);
    later(9_999);
    expect((await paper.open("ticker?markets=KRW-BTC", headers)).status).toBe(429);
    later(1);
    expect((await paper.open("ticker?markets=KRW-BTC", headers)).status).toBe(200);
  });
});

describe("a ban", () => {
  it("begins when somebody goes on after a refusal, grows, and is of the account alone", async () => {
    const exhaust = async (): Promise<number> => {
      for (let count = 0; count < 100; count++) {
        const reply = await paper.get("accounts");
        if (reply.status === 418) return Number(/(\d+) seconds/.exec(reply.json.error.message)?.[1]);
      }
      return 0;
    };
    expect(await exhaust()).toBe(10);
    later(9_999);
    expect(refusal(await paper.order())).toEqual([418, "too_many_requests"]);
    expect((await upbit.maker.get("accounts")).status).toBe(200);
    expect((await paper.open("market/all")).status).toBe(200);
    later(1);
    expect((await paper.order()).status).toBe(201);
    expect(await exhaust()).toBe(20);
  });
});
