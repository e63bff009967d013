import { describe, expect, it } from "vitest";
import {
  ENDPOINTS,
  FIELD_ADDED_IN,
  LIMITS,
  OPEN_API_VERSION,
  PERMISSIONS,
  RATE_HEADERS,
  TIERS,
  VERSION_HEADER,
  VERSIONS,
  versionAtLeast,
} from "../../src/contract/index.ts";

describe("limits", () => {
  it("are the figures of the service", () => {
    expect(LIMITS).toMatchObject({
      callsPerSecond: 30,
      callsPerSecondBefore110: 20,
      weightPerMinute: { starter: 600, pro: 1200, enterprise: 6000 },
      publicWeightPerMinute: 1200,
      pageSizeDefault: 100,
      pageSizeMax: 500,
      bodyBytesMax: 65_536,
      userrefWindowMs: 86_400_000,
    });
  });

  it("give every endpoint its weight", () => {
    expect(Object.fromEntries(Object.entries(ENDPOINTS).map(([id, { weight }]) => [id, weight]))).toEqual({
      time: 1,
      markets: 1,
      tickers: 1,
      orderbook: 1,
      trades: 1,
      candles: 1,
      accounts: 2,
      createOrder: 1,
      orders: 10,
      cancelOrder: 1,
      fills: 10,
      streamToken: 1,
      cancelBatch: 5,
      order: 2,
    });
  });

  it("know three tiers and three permissions", () => {
    expect(TIERS).toEqual(["starter", "pro", "enterprise"]);
    expect(Object.keys(LIMITS.weightPerMinute)).toEqual([...TIERS]);
    expect(PERMISSIONS).toEqual(["query", "trade", "transfer"]);
  });

  it("are named by the headers of an answer", () => {
    expect(Object.values(RATE_HEADERS)).toEqual([
      "RateLimit-Limit",
      "RateLimit-Remaining",
      "RateLimit-Reset",
      "Retry-After",
    ]);
  });
});

describe("versions", () => {
  it("are those of the change history, newest first", () => {
    expect(VERSION_HEADER).toBe("API-Version");
    expect(OPEN_API_VERSION).toBe("1.4.0");
    expect(VERSIONS.map(({ version, date }) => [version, date])).toEqual([
      ["1.4.0", "2026-07-20"],
      ["1.3.0", "2026-05-12"],
      ["1.2.0", "2026-03-03"],
      ["1.1.0", "2025-12-15"],
      ["1.0.0", "2025-10-01"],
    ]);
  });

  it("say what each version changed", () => {
    const changes = Object.fromEntries(VERSIONS.map((entry) => [entry.version, entry.changes]));
    expect(changes["1.4.0"]).toContain("GET /v1/orders/{symbol}/{uuid}");
    expect(changes["1.4.0"]).toContain("get_open_orders and cancel_order");
    expect(changes["1.3.0"]).toContain("DELETE /v1/orders/batch");
    expect(changes["1.3.0"]).toContain("orderbook WebSocket fields tick.buys and tick.asks");
    expect(changes["1.2.0"]).toContain("fee and fee_currency");
    expect(changes["1.1.0"]).toContain("from 20 to 30 per second");
    expect(changes["1.0.0"]).toContain("12 REST endpoints");
  });

  it("began with twelve endpoints, and say which came later", () => {
    const addedIn = (version: string) =>
      Object.values(ENDPOINTS)
        .filter((endpoint) => endpoint.addedIn === version)
        .map(({ method, path }) => `${method} ${path}`);
    expect(addedIn("1.0.0")).toHaveLength(12);
    expect(addedIn("1.1.0")).toEqual([]);
    expect(addedIn("1.2.0")).toEqual([]);
    expect(addedIn("1.3.0")).toEqual(["DELETE /v1/orders/batch"]);
    expect(addedIn("1.4.0")).toEqual(["GET /v1/orders/{symbol}/{uuid}"]);
    expect(FIELD_ADDED_IN).toEqual({ amount: "1.1.0", fee: "1.2.0" });
  });

  it("compare by age: each is at least itself and everything older", () => {
    const oldestFirst = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"] as const;
    for (const [i, a] of oldestFirst.entries())
      for (const [j, b] of oldestFirst.entries()) expect(versionAtLeast(a, b), `${a} ≥ ${b}`).toBe(i >= j);
  });
});
