import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { OpenApiClient } from "../../../src/venues/index.ts";
import { answer, clientOf, hang, orderBody, refuse, reset, SECRET, startWire } from "./wire.ts";

const bytes = Buffer.from(SECRET, "base64").toString();

describe("the secret", () => {
  it("is in nothing that the client shows, returns or throws", async () => {
    const wire = await startWire(reset, hang, refuse("EOrder:Invalid price", 422), answer("<html>"));
    const shown: unknown[] = [];
    const client = clientOf(wire, { timeouts: { totalMs: 100 }, onEvent: (event) => shown.push(event) });
    for (let i = 0; i < 4; i++) shown.push(await client.submit(orderBody));
    shown.push(await client.submit(orderBody, () => Promise.reject(new Error("x"))).catch((error: unknown) => error));
    shown.push(client, JSON.stringify(client), Object.entries(client));
    await client.close();
    await wire.close();
    for (const thing of shown) {
      const text = [inspect(thing, { depth: 20, showHidden: true }), JSON.stringify(thing), String(thing)].join();
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(bytes);
    }
  });

  it("is not in the error about a malformed secret or key", () => {
    for (const apiSecret of [`${SECRET}!`, "", "not base64 at all"]) {
      const make = () => clientOf({ url: "http://127.0.0.1:1" }, { credentials: { apiKey: "k", apiSecret } });
      expect(make).toThrow(new TypeError("the API secret is not base64"));
    }
    const make = () =>
      clientOf({ url: "http://127.0.0.1:1" }, { credentials: { apiKey: "k\r\nx", apiSecret: SECRET } });
    expect(make).toThrow("the API key is empty or not plain text");
  });

  it("is refused in the base URL", () => {
    for (const baseUrl of [
      "http://user:pass@venue.example",
      "venue.example",
      "file:///etc",
      "https://v.example/?key=1",
    ]) {
      expect(() => new OpenApiClient({ environment: "live", baseUrl })).toThrow(/^base_url/);
    }
  });
});
