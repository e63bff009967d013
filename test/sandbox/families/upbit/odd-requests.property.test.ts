/** Whatever is asked, the answer has Upbit's form and is no failure of the server. */
import { once } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { PRIVATE_ENDPOINTS, PUBLIC_ENDPOINTS } from "../../../../src/sandbox/families/upbit/endpoints.ts";
import { send } from "../../http/signed-client.ts";
import { openUpbit, refusal, tokenOf, type Upbit } from "./upbit-client.ts";

let upbit: Upbit;
beforeAll(async () => {
  upbit = await openUpbit({ limits: { venueRateFactor: 1_000_000 } });
  await upbit.maker.order({ side: "ask", price: "90000000", volume: "1" });
  await upbit.paper.order({ volume: "0.01", identifier: "there" });
});
afterAll(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const NAMES = [
  ...[
    "market",
    "markets",
    "quote_currencies",
    "count",
    "level",
    "to",
    "cursor",
    "days_ago",
    "uuid",
    "identifier",
    "uuids[]",
  ],
  ...[
    "identifiers[]",
    "states[]",
    "state",
    "page",
    "limit",
    "order_by",
    "start_time",
    "end_time",
    "cancel_side",
    "pairs",
  ],
  ...[
    "excluded_pairs",
    "side",
    "volume",
    "price",
    "ord_type",
    "time_in_force",
    "smp_type",
    "is_details",
    "__proto__",
    "",
  ],
];
const WORDS = [
  ...[
    "KRW-BTC",
    "KRW-SHIB",
    "KRW-NONE",
    "BTC/KRW",
    "KRW",
    "0",
    "1",
    "-1",
    "0.001",
    "90000000",
    "5000",
    "1e8",
    "999999999999",
  ],
  ...[
    "bid",
    "ask",
    "all",
    "limit",
    "price",
    "market",
    "best",
    "ioc",
    "fok",
    "post_only",
    "wait",
    "watch",
    "done",
    "cancel",
  ],
  ...[
    "asc",
    "desc",
    "there",
    "none",
    "reduce",
    "true",
    "090100",
    "1784538000000",
    "2026-07-20T18:00:00+09:00",
    "99999999999999",
  ],
];
const name = fc.constantFrom(...NAMES);
const value = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ unit: "grapheme", maxLength: 70 }),
);
const pairs = fc.array(fc.tuple(name, value), { maxLength: 7 });

describe("a request", () => {
  it("is answered in Upbit's form, whatever its query is", async () => {
    const route = fc.constantFrom(
      ...[...PRIVATE_ENDPOINTS.keys()].filter((each) => !each.startsWith("POST")),
      ...[...PUBLIC_ENDPOINTS.keys()].map((path) => `GET ${path}`),
    );
    await fc.assert(
      fc.asyncProperty(route, pairs, async (asked, given) => {
        const [method = "", path = ""] = asked.split(" ");
        const text = given.map((pair) => pair.join("=")).join("&");
        const query = given.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        const headers = { Authorization: `Bearer ${tokenOf(upbit.paper.credentials, text)}` };
        const reply = await send(upbit.paper.baseUrl, method, `${path}?${query}`, headers);
        expect(reply.status).toBeLessThan(500);
        expect(reply.status === 200 ? "answered" : refusal(reply)[0]).not.toBe(401);
      }),
      { numRuns: 400 },
    );
  });

  it("is answered in Upbit's form, whatever its body is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("orders", "orders/test"), pairs, async (path, given) => {
        const reply = await upbit.paper.post(path, Object.fromEntries(given));
        expect(reply.status).toBeLessThan(500);
        expect(reply.status === 201 ? "answered" : refusal(reply)[0]).not.toBe(401);
      }),
      { numRuns: 400 },
    );
  });

  it("is refused in Upbit's form, whatever its token and its bytes are", async () => {
    const bytes = fc.oneof(fc.string({ unit: "binary-ascii", maxLength: 60 }), fc.json());
    await fc.assert(
      fc.asyncProperty(fc.base64String(), bytes, async (token, body) => {
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        const reply = await send(upbit.paper.baseUrl, "POST", "/v1/orders", headers, body);
        expect([400, 401]).toContain(refusal(reply)[0]);
      }),
    );
  });
});

describe("a message of the stream", () => {
  it("is answered or refused, whatever it is, and the connection goes on", async () => {
    const web = new WebSocket(upbit.venue.sandbox.streamUrl);
    await once(web, "open");
    const received: string[] = [];
    web.on("message", (data) => received.push((data as Buffer).toString("utf8")));
    const field = fc.oneof(fc.constantFrom("ticker", "trade", "orderbook", "KRW-BTC", "DEFAULT"), fc.jsonValue());
    const codes = fc.oneof(fc.array(fc.constantFrom("KRW-BTC", "KRW-BTC.5", "KRW-NONE", ".", "")), fc.jsonValue());
    const part = fc.record({ ticket: field, type: field, codes, format: field }, { requiredKeys: [] });
    const message = fc.oneof(
      fc.array(part, { maxLength: 4 }).map((parts) => JSON.stringify(parts)),
      fc.json(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        web.send(text);
        web.send("PING");
        await expect.poll(() => received.some((each) => each === '{"status":"UP"}'), { interval: 1 }).toBe(true);
        received.length = 0;
      }),
    );
    expect(web.readyState).toBe(WebSocket.OPEN);
    web.terminate();
  });
});
