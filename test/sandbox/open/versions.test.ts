import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSIONS } from "../../../src/contract/index.ts";
import { send } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
beforeAll(async () => {
  venue = await openVenue();
  await venue.maker.order({ side: "sell", price: "90000000" });
  await venue.paper.order();
});
afterAll(() => venue.sandbox.close());

const asking = (version: string) => ({ headers: { "API-Version": version } });
const listed = VERSIONS.map(({ version }) => version);
const since = (first: string) => listed.map((version) => [version, version >= first] as const);

describe("requested version", () => {
  it.each(listed)("%s is answered as 1.4.0", async (version) => {
    const reply = await venue.paper.get("/v1/accounts", asking(version));
    expect([reply.status, reply.headers["api-version"]]).toEqual([200, "1.4.0"]);
  });

  it.each([
    "2.0.0",
    "0.9.0",
    "1.5.0",
    "1.4.1",
    "1.10.0",
    "1.04.0",
    "1.4.0.0",
    "1.1234567890.0",
    "1.4",
    "v1.4.0",
    "1.4.0, 1.4.0",
    "latest",
    "1.4.0-rc.1",
    "",
  ])("%j is refused with the supported range, on public and private endpoints", async (version) => {
    const headers = { "API-Version": version };
    for (const reply of [
      await send(venue.sandbox.baseUrl, "GET", "/v1/time", headers),
      await venue.paper.get("/v1/accounts", { headers }),
    ]) {
      expect([reply.status, reply.json.error.code]).toEqual([400, "EGeneral:Invalid arguments:API-Version"]);
      expect(reply.json.error.message).toContain("1.0.0 to 1.4.0");
      expect(reply.headers["api-version"]).toBe("1.4.0");
    }
  });
});

describe("a version between two listed ones", () => {
  const order = { symbol: "BTCKRW", side: "buy", type: "market", amount: "50000", validate_only: true };

  it.each([
    ["1.3.9", { batch: 200, single: 404, fee: true, amount: 200 }],
    ["1.2.7", { batch: 404, single: 404, fee: true, amount: 200 }],
    ["1.1.10", { batch: 404, single: 404, fee: false, amount: 200 }],
    ["1.0.5", { batch: 404, single: 404, fee: false, amount: 400 }],
  ])("%s is answered in the shape of the older one", async (version, shape) => {
    const [any] = (await venue.paper.get("/v1/orders?state=all")).json.orders;
    const fills = await venue.paper.get("/v1/trades/history", asking(version));
    expect({
      batch: (await venue.paper.delete("/v1/orders/batch", asking(version))).status,
      single: (await venue.paper.get(`/v1/orders/BTCKRW/${any.uuid}`, asking(version))).status,
      fee: "fee" in fills.json.trades[0],
      amount: (await venue.paper.post("/v1/orders", order, asking(version))).status,
    }).toEqual(shape);
  });
});

describe("older shapes", () => {
  it.each(since("1.2.0"))("when the version is %s, show the fee of a fill: %s", async (version, shown) => {
    const { json } = await venue.paper.get("/v1/trades/history", asking(version));
    expect(json.trades).toHaveLength(1);
    expect(["fee" in json.trades[0], "fee_currency" in json.trades[0]]).toEqual([shown, shown]);
    expect(json.trades[0].value).toBe("90000");
  });

  it.each(since("1.1.0"))("when the version is %s, take a market order by amount: %s", async (version, taken) => {
    const fields = { symbol: "BTCKRW", side: "buy", type: "market", amount: "50000", validate_only: true };
    const reply = await venue.paper.post("/v1/orders", fields, asking(version));
    expect([reply.status, reply.json.error?.code]).toEqual(
      taken ? [200, undefined] : [400, "EGeneral:Invalid arguments:amount"],
    );
  });

  it.each(since("1.3.0"))(
    "when the version is %s, know how to cancel all orders at once: %s",
    async (version, known) => {
      const reply = await venue.paper.delete("/v1/orders/batch", asking(version));
      expect([reply.status, reply.json.error?.code]).toEqual(
        known ? [200, undefined] : [404, "EGeneral:Unknown method"],
      );
    },
  );

  it.each(since("1.4.0"))("when the version is %s, know how to query one order: %s", async (version, known) => {
    const [order] = (await venue.paper.get("/v1/orders?state=all")).json.orders;
    const reply = await venue.paper.get(`/v1/orders/BTCKRW/${order.uuid}`, asking(version));
    expect([reply.status, reply.json.error?.code]).toEqual(known ? [200, undefined] : [404, "EGeneral:Unknown method"]);
  });
});
