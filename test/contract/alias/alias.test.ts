import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ALIAS_FAULTS,
  ALIAS_SIGNING_VECTORS,
  FAULT_CODES,
} from "../../../src/contract/index.ts";
import { aliasPage } from "../../../src/contract/openapi/alias-page.ts";

/** service.md#alias-endpoints, operation by operation, with their weights. */
const OPERATIONS = `
GET /api/v3/ping none 1
GET /api/v3/time none 1
GET /api/v3/exchangeInfo none 1
GET /api/v3/depth none 1
GET /api/v3/trades none 1
GET /api/v3/historicalTrades none 1
GET /api/v3/aggTrades none 1
GET /api/v3/klines none 1
GET /api/v3/uiKlines none 1
GET /api/v3/avgPrice none 1
GET /api/v3/ticker/24hr none 1
GET /api/v3/ticker/price none 1
GET /api/v3/ticker/bookTicker none 1
POST /api/v3/order trade 1
POST /api/v3/order/test trade 1
GET /api/v3/order query 2
DELETE /api/v3/order trade 1
GET /api/v3/openOrders query 10
DELETE /api/v3/openOrders trade 5
GET /api/v3/allOrders query 10
GET /api/v3/myTrades query 10
GET /api/v3/account query 2
GET /api/v3/account/commission query 2
GET /api/v3/rateLimit/order query 1
`;

describe("the alias endpoints", () => {
  it("are those of the service, each with its permission and weight", () => {
    const rows = ALIAS_ENDPOINT_IDS.map((id) => {
      const { method, path, auth, weight } = ALIAS_ENDPOINTS[id];
      return `${method} ${path} ${auth} ${weight}`;
    });
    expect(rows).toEqual(OPERATIONS.trim().split("\n"));
  });

  it("have a number for every fault of the catalogue", () => {
    expect(Object.keys(ALIAS_FAULTS).sort()).toEqual([...FAULT_CODES].sort());
    for (const { number, status, msg } of Object.values(ALIAS_FAULTS))
      expect([number < -999, status >= 400, msg.length > 0]).toEqual([true, true, true]);
  });

  it.each(ALIAS_SIGNING_VECTORS)("are signed as the vector says: $name", ({ secret, query, body, signature }) => {
    expect(createHmac("sha256", secret).update(query).update(body).digest("hex")).toBe(signature);
  });

  it("have a reference page that is what the tables say", () => {
    const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "reference", "alias.md"), "utf8");
    expect(page).toBe(aliasPage());
  });
});
