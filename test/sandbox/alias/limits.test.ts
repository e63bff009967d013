import { afterEach, describe, expect, it } from "vitest";
import { ALIAS_ENDPOINT_IDS, ALIAS_ENDPOINTS, type AliasEndpointId } from "../../../src/contract/index.ts";
import type { SandboxLimits } from "../../../src/sandbox/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { AliasClient, type Parameters, refusal } from "./alias-client.ts";

let venue: Venue;
let paper: AliasClient;

async function open(limits: Partial<SandboxLimits> = {}): Promise<void> {
  venue = await openVenue({ limits });
  paper = new AliasClient(venue.sandbox.baseUrl, venue.paper.credentials, venue.clock);
}

afterEach(() => venue.sandbox.close());

const limitHeaders = ({ headers }: Reply) => ({
  limit: headers["ratelimit-limit"],
  remaining: headers["ratelimit-remaining"],
  reset: headers["ratelimit-reset"],
  used: headers["x-mbx-used-weight-1m"],
});

describe("every signed alias operation", () => {
  const BTC = { symbol: "BTCKRW" };
  const PARAMETERS: Partial<Record<AliasEndpointId, Parameters>> = {
    newOrder: { ...BTC, side: "BUY", type: "LIMIT_MAKER", quantity: "0.001", price: "90000000", newClientOrderId: "a" },
    testOrder: { ...BTC, side: "BUY", type: "LIMIT_MAKER", quantity: "0.001", price: "90000000" },
    order: { ...BTC, origClientOrderId: "a" },
    cancelOrder: { ...BTC, origClientOrderId: "a" },
    cancelOpenOrders: BTC,
    allOrders: BTC,
    myTrades: BTC,
    commission: BTC,
  };

  it("has the weight in the table, in the dialect's header and in the service's", async () => {
    await open({ weightPerMinute: { starter: 1000, pro: 1000, enterprise: 1000 } });
    let used = 0;
    for (const id of ALIAS_ENDPOINT_IDS) {
      const { method, path, auth, weight } = ALIAS_ENDPOINTS[id];
      if (auth === "none") continue;
      const reply = await paper.call(method, path.slice("/api/v3/".length), PARAMETERS[id]);
      used += weight;
      expect([id, limitHeaders(reply).used, reply.headers["x-mbx-used-weight"]]).toEqual([id, `${used}`, `${used}`]);
      expect(limitHeaders(reply)).toMatchObject({ limit: "1000", remaining: String(1000 - used), reset: "60" });
    }
    expect(used).toBe(45);
  });
});

describe("the limits of a key", () => {
  it("refuse with 429 and say when to retry; a refused call has no effect and no weight", async () => {
    await open({ weightPerMinute: { starter: 12, pro: 12, enterprise: 12 } });
    expect((await paper.get("openOrders")).status).toBe(200);
    venue.clock.now += 20_000;
    expect((await paper.get("account")).status).toBe(200);
    const refused = await paper.order();
    expect(refusal(refused)).toEqual([429, -1003]);
    expect(refused.headers["retry-after"]).toBe("40");
    expect(limitHeaders(refused)).toEqual({ limit: "12", remaining: "0", reset: "40", used: "12" });
    venue.clock.now += 40_000;
    expect(limitHeaders(await paper.get("openOrders")).used).toBe("12");
    expect((await paper.get("openOrders")).status).toBe(429);
  });

  it("count the calls of a second too, together with those of the other families", async () => {
    await open({ callsPerSecond: 3 });
    expect((await venue.paper.get("/v1/accounts")).status).toBe(200);
    expect((await paper.get("account")).status).toBe(200);
    expect((await paper.get("account")).status).toBe(200);
    const refused = await paper.get("account");
    expect([refusal(refused), refused.headers["retry-after"]]).toEqual([[429, -1003], "1"]);
    expect((await venue.paper.get("/v1/accounts")).status).toBe(429);
    venue.clock.now += 1000;
    expect((await paper.get("account")).status).toBe(200);
  });

  it("are shown with refusals to known callers, and count public calls to the address", async () => {
    await open({ weightPerMinute: { starter: 10, pro: 10, enterprise: 10 } });
    const { apiKey } = paper.credentials;
    const pinged = await send(paper.baseUrl, "GET", "/api/v3/ping", { "X-MBX-APIKEY": apiKey });
    expect([pinged.status, limitHeaders(pinged).used]).toEqual([200, "1"]);
    const late = await paper.get("account", {}, { timestamp: String(venue.clock.now - 60_000) });
    expect([refusal(late), limitHeaders(late)]).toMatchObject([[400, -1021], { remaining: "10000", used: "0" }]);
    const unknown = await paper.get("account", {}, { signature: "x" });
    expect([refusal(unknown), limitHeaders(unknown).limit]).toEqual([[400, -1022], undefined]);
  });
});
