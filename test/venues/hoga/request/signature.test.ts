import { describe, expect, it } from "vitest";
import { SIGNING_VECTORS } from "../../../../src/contract/index.ts";
import { sign } from "../../../../src/venues/index.ts";
import { order } from "../../../fixture/order-sample.ts";
import { accounts, answer, clientOf, KEY, orderBody, SECRET, startWire } from "../wire.ts";

describe("signature", () => {
  it.each(SIGNING_VECTORS)("agrees with the published vector: $name", (vector) => {
    const secret = Buffer.from(vector.secret, "base64");
    expect(sign(vector.prefix, vector.nonce, vector.body, secret)).toBe(vector.signature);
  });

  it("covers method, path, query, nonce and body exactly as they travel", async () => {
    const wire = await startWire(answer({ orders: [], next_cursor: null }), answer(order, 201));
    const client = clientOf(wire);
    await client.orders({ symbol: "BTC/KRW", userref: "desk-1" });
    await client.submit(orderBody);
    expect(wire.arrivals.map(({ line }) => line)).toEqual([
      "GET /v1/orders?symbol=BTC%2FKRW&userref=desk-1",
      "POST /v1/orders",
    ]);
    for (const { line, headers, body } of wire.arrivals) {
      expect(headers["api-key"]).toBe(KEY);
      expect(headers["api-sign"]).toBe(sign(line, String(headers["api-nonce"]), body, Buffer.from(SECRET, "base64")));
    }
    await client.close();
    await wire.close();
  });

  it("takes the secret from a function at every call, and reports a function that fails without its error", async () => {
    const wire = await startWire(answer(accounts));
    let asked = 0;
    const client = clientOf(wire, {
      credentials: {
        apiKey: KEY,
        apiSecret: () => {
          asked++;
          if (asked === 3) throw new Error(`keyring lost ${SECRET}`);
          return SECRET;
        },
      },
    });
    expect((await client.accounts()).ok).toBe(true);
    expect((await client.accounts()).ok).toBe(true);
    const result = await client.accounts();
    expect(result).toMatchObject({ ok: false, fault: { code: "ELocal:No key", reachedVenue: "no" } });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(wire.arrivals).toHaveLength(2);
    await client.close();
    await wire.close();
  });
});
