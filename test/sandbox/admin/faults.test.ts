import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultPlan, type FaultTerms } from "../../../src/sandbox/admin/fault-plan.ts";
import { requestHead } from "../../../src/sandbox/http/family.ts";
import { type SignedClient, signedHeaders } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { AdminClient } from "./admin-client.ts";

let venue: Venue;
let admin: AdminClient;
let paper: SignedClient;
beforeEach(async () => {
  venue = await openVenue({ admin: {} });
  admin = new AdminClient(venue.sandbox.admin ?? { url: "", token: "" });
  ({ paper } = venue);
});
afterEach(async () => {
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const plan = (terms: object) => admin.must("POST", "/faults", terms);
const orders = () => venue.sandbox.exchange.orders("paper", { limit: 100 }).orders.length;
const left = async () => ((await admin.must("GET", "/faults")) as { faults: unknown[] }).faults;

/** The raw response, however broken. */
function rawly(method: string, path: string, body = ""): Promise<{ status?: number; text: string; whole: boolean }> {
  const { hostname, port } = new URL(venue.sandbox.baseUrl);
  const headers = signedHeaders(venue.sandbox, method, path, body);
  return new Promise((resolve) => {
    const own = body === "" ? headers : { ...headers, "content-type": "application/json" };
    const sent = request({ hostname, port, path, method, headers: own, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      response.on("close", () => resolve({ status: response.statusCode ?? 0, text, whole: response.complete }));
    });
    sent.on("error", () => resolve({ text: "", whole: false }));
    sent.end(body);
  });
}

const order = JSON.stringify({ symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "90000000" });

describe("a planned fault", () => {
  it("delays a request when its kind is latency, and changes nothing else", async () => {
    await plan({ kind: "latency", path: "/v1/accounts", latency_ms: 300 });
    const before = performance.now();
    expect((await paper.get("/v1/accounts")).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(290);
    expect(await left()).toEqual([]);
  });

  it("lets an order take effect when its kind is drop, and its answer is lost", async () => {
    await plan({ kind: "drop", method: "POST", path: "/v1/orders" });
    expect(await rawly("POST", "/v1/orders", order)).toEqual({ text: "", whole: false });
    expect(orders()).toBe(1);
    expect((await paper.order()).status).toBe(201);
  });

  it("answers 5xx without effect when its kind is error, unless it is to be applied", async () => {
    await plan({ kind: "error", path: "/v1/orders", status: 502 });
    const without = await paper.order();
    expect([without.status, without.json.error.code, orders()]).toEqual([502, "EService:Unavailable", 0]);
    await plan({ kind: "error", path: "/v1/orders", applied: true });
    const applied = await paper.order();
    expect([applied.status, applied.json.error.code, orders()]).toEqual([503, "EService:Unavailable", 1]);
  });

  it("lets an order take effect when its kind is garble, and half of its body arrives as valid HTTP", async () => {
    await plan({ kind: "garble", path: "/v1/orders" });
    const { status, text, whole } = await rawly("POST", "/v1/orders", order);
    expect([status, whole, orders()]).toEqual([201, true, 1]);
    expect(text).toMatch(/^\{"uuid":/);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it("is injected into as many matching requests as planned, one fault per request", async () => {
    const { fault_id } = await plan({ kind: "error", path: "/v1/orders", method: "POST", count: 2 });
    await plan({ kind: "error", status: 500, path: "*", count: 2 });
    expect(await left()).toMatchObject([
      { fault_id, left: 2, status: 503, applied: false },
      { left: 2, status: 500 },
    ]);
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push((await paper.order()).status);
    expect(statuses).toEqual([503, 503, 500, 500, 201]);
    expect(await left()).toEqual([]);
  });

  it("can be removed, singly or all at once, and never affects the admin interface", async () => {
    const one = await plan({ kind: "error", path: "*", count: 1000 });
    await plan({ kind: "drop", path: "*", count: 1000 });
    expect((await admin.send("DELETE", `/faults/${one.fault_id}`)).status).toBe(200);
    expect((await admin.send("DELETE", `/faults/${one.fault_id}`)).status).toBe(404);
    expect((await admin.send("DELETE", "/faults/x")).status).toBe(404);
    expect(await rawly("GET", "/v1/time")).toMatchObject({ whole: false });
    await admin.must("DELETE", "/faults");
    expect((await rawly("GET", "/v1/time")).status).toBe(200);
  });

  it("is injected into every API family", async () => {
    await plan({ kind: "error", path: "*", count: 2 });
    expect((await rawly("GET", "/0/public/Time")).status).toBe(503);
    expect((await rawly("GET", "/api/v3/time")).status).toBe(503);
  });

  it.each([
    ["no kind", { path: "/v1/orders" }],
    ["another kind", { kind: "flood", path: "/v1/orders" }],
    ["no path", { kind: "drop" }],
    ["a path that is none", { kind: "drop", path: "orders" }],
    ["no latency", { kind: "latency", path: "*" }],
    ["a latency that is too long", { kind: "latency", path: "*", latency_ms: 60_001 }],
    ["what belongs to another kind", { kind: "drop", path: "*", latency_ms: 5 }],
    ["a status that is no failure", { kind: "error", path: "*", status: 200 }],
    ["no times at all", { kind: "drop", path: "*", count: 0 }],
    ["another method", { kind: "drop", path: "*", method: "get" }],
  ])("when it has %s, is refused", async (_, terms) => {
    expect((await admin.post("/faults", terms)).status).toBe(400);
    expect(await left()).toEqual([]);
  });

  it("is refused once a hundred are planned", async () => {
    for (let count = 0; count < 100; count++) await plan({ kind: "drop", path: `/${count}` });
    expect((await admin.post("/faults", { kind: "drop", path: "*" })).status).toBe(409);
  });
});

describe("a pattern", () => {
  const terms: FaultTerms = {
    kind: "drop",
    method: null,
    path: "",
    count: 1,
    latencyMs: 0,
    status: 503,
    applied: false,
  };
  const fits = (pattern: string, path: string): boolean => {
    const faults = new FaultPlan(() => 0);
    faults.add({ ...terms, path: pattern });
    return faults.take(requestHead("GET", path, {}, undefined)) !== undefined;
  };

  it.each([
    ["/v1/orders", "/v1/orders", true],
    ["/v1/orders", "/v1/orders?state=open", true],
    ["/v1/orders", "/v1/orders/", false],
    ["/v1/orders", "/v1/order", false],
    ["/v1/*", "/v1/", true],
    ["/v1/*", "/v1/orders/BTC%2FKRW/1", true],
    ["/v1/*", "/v2/orders", false],
    ["*", "/", true],
    ["*/orders", "/v1/orders", true],
    ["*/orders", "/v1/orders/batch", false],
    ["/v1/*/BTC*/", "/v1/orders/BTCKRW/", true],
    ["/v1/*/BTC*/", "/v1/orders/ETHKRW/", false],
    ["/ab*ba", "/aba", false],
    ["/ab*ba", "/abba", true],
    ["/a*b*c", "/acb", false],
    ["/.*", "/x", false],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected);
  });

  it("is matched in time proportional to its length", () => {
    const before = performance.now();
    expect(fits(`/${"a*".repeat(99)}b`, `/${"a".repeat(16_000)}`)).toBe(false);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
