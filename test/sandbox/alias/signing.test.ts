import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALIAS_SIGNING_VECTORS, type AliasSigningVector } from "../../../src/contract/index.ts";
import type { KeyRecord } from "../../../src/sandbox/model/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { openVenue, START, type Venue } from "../http/venue.ts";
import { AliasClient, aliasSignature, refusal } from "./alias-client.ts";

let venue: Venue;
let paper: AliasClient;

beforeEach(async () => {
  venue = await openVenue();
  paper = new AliasClient(venue.sandbox.baseUrl, venue.paper.credentials, venue.clock);
});

afterEach(() => venue.sandbox.close());

const clientOf = (key: Partial<KeyRecord>) =>
  new AliasClient(venue.sandbox.baseUrl, venue.addKey(key).credentials, venue.clock);

const openOrders = () => venue.sandbox.exchange.orders(venue.sandbox.accountId, { limit: 100 }).orders.length;

const WRONG_SIGNATURE = [400, -1022];
const WRONG_KEY = [401, -2015];
const MISSING = [400, -1102];
const OUT_OF_TIME = [400, -1021];

describe("a signature", () => {
  /** Sends a vector unchanged. */
  function answerTo({ query, body, secret }: AliasSigningVector, signature: string): Promise<Reply> {
    const { apiKey } = venue.addKey({ secret }).credentials;
    const [inQuery, inBody] =
      body === "" ? [`?${query}&signature=${signature}`, ""] : [`?${query}`, `${body}&signature=${signature}`];
    const headers = { "X-MBX-APIKEY": apiKey, "Content-Type": "application/x-www-form-urlencoded" };
    return send(venue.sandbox.baseUrl, "POST", `/api/v3/order/test${inQuery}`, headers, inBody);
  }

  it.each(ALIAS_SIGNING_VECTORS)("counts in upper and lower case, and no other does: $name", async (vector) => {
    venue.clock.now = 1_499_827_319_559;
    const { signature, query } = vector;
    // The signature was accepted: the refusal is for the market, or for the form of its symbol.
    const beyond = query.includes("%EF") ? [400, -1100] : [400, -1121];
    expect(refusal(await answerTo(vector, signature))).toEqual(beyond);
    expect(refusal(await answerTo(vector, signature.toUpperCase()))).toEqual(beyond);
    const other = signature.startsWith("0") ? `1${signature.slice(1)}` : `0${signature.slice(1)}`;
    expect(refusal(await answerTo(vector, other))).toEqual(WRONG_SIGNATURE);
  });

  it("covers every parameter, and may come before them", async () => {
    const { apiKey, apiSecret } = paper.credentials;
    const text = `symbol=BTCKRW&timestamp=${START}`;
    const signature = `signature=${aliasSignature(apiSecret, text)}`;
    const answer = (query: string) =>
      send(venue.sandbox.baseUrl, "GET", `/api/v3/openOrders?${query}`, { "X-MBX-APIKEY": apiKey });
    expect((await answer(`${text}&${signature}`)).status).toBe(200);
    expect((await answer(`${signature}&${text}`)).status).toBe(200);
    expect(refusal(await answer(`${text.replace("BTC", "ETH")}&${signature}`))).toEqual(WRONG_SIGNATURE);
    expect(refusal(await answer(`${text}&${signature}&${signature}`))).toEqual([400, -1101]);
  });

  it("when it is wrong, missing, of another key or of no key, is refused, without effect", async () => {
    expect(refusal(await paper.order({}, { signature: "0".repeat(64) }))).toEqual(WRONG_SIGNATURE);
    expect(refusal(await paper.order({}, { signature: "not-hex" }))).toEqual(WRONG_SIGNATURE);
    expect(refusal(await paper.order({}, { signature: "" }))).toEqual(MISSING);
    const { baseUrl, credentials } = paper;
    const mixed = { ...credentials, apiSecret: venue.addKey().credentials.apiSecret };
    expect(refusal(await new AliasClient(baseUrl, mixed, venue.clock).order())).toEqual(WRONG_SIGNATURE);
    const unknown = { ...credentials, apiKey: "unknown" };
    expect(refusal(await new AliasClient(baseUrl, unknown, venue.clock).order())).toEqual(WRONG_KEY);
    expect(refusal(await send(baseUrl, "GET", `/api/v3/account?timestamp=${START}`))).toEqual(WRONG_KEY);
    expect(openOrders()).toBe(0);
  });

  it("uses the text of the secret, not decoded from base64", async () => {
    const { apiSecret } = paper.credentials;
    const decoded = Buffer.from(apiSecret, "base64");
    const text = `timestamp=${START}`;
    const signature = createHmac("sha256", decoded).update(text).digest("hex");
    expect(refusal(await paper.get("account", {}, { signature }))).toEqual(WRONG_SIGNATURE);
    expect((await paper.get("account")).status).toBe(200);
  });
});

describe("the time of a call", () => {
  const at = (offsetMs: number, parameters: Record<string, string> = {}) =>
    paper.order(parameters, { timestamp: String(START + offsetMs) });
  const accepted = async (reply: Promise<Reply>) => (await reply).status;

  it("is at most recvWindow ago, 5000 ms by default, and less than a second ahead", async () => {
    expect(await accepted(at(-5000))).toBe(200);
    expect(await accepted(at(999))).toBe(200);
    expect(refusal(await at(-5001))).toEqual(OUT_OF_TIME);
    expect(refusal(await at(1000))).toEqual(OUT_OF_TIME);
    expect(await accepted(at(-60_000, { recvWindow: "60000" }))).toBe(200);
    expect(refusal(await at(-60_001, { recvWindow: "60000" }))).toEqual(OUT_OF_TIME);
    expect(await accepted(at(-1, { recvWindow: "1.5" }))).toBe(200);
    expect(refusal(await at(-2, { recvWindow: "1.5" }))).toEqual(OUT_OF_TIME);
    expect(openOrders()).toBe(4);
  });

  it("makes the same bytes invalid once it is too old", async () => {
    const timestamp = String(START);
    expect((await paper.order({}, { timestamp })).status).toBe(200);
    venue.clock.now += 5001;
    expect(refusal(await paper.order({}, { timestamp }))).toEqual(OUT_OF_TIME);
    expect(openOrders()).toBe(1);
  });

  it.each([
    ["a window above a minute", { recvWindow: "60001" }, MISSING],
    ["a window that is no number", { recvWindow: "5s" }, [400, -1100]],
    ["an empty window", { recvWindow: "" }, [400, -1100]],
  ])("refuses %s", async (_, parameters, expected) => {
    expect(refusal(await paper.get("account", parameters))).toEqual(expected);
  });

  it.each([
    ["a missing timestamp", "", MISSING],
    ["a timestamp that is no number", "now", [400, -1100]],
    ["microseconds", `${START}000`, OUT_OF_TIME],
  ])("refuses %s", async (_, timestamp, expected) => {
    expect(refusal(await paper.get("account", {}, { timestamp }))).toEqual(expected);
  });
});

describe("nonces of the other families", () => {
  it("are neither read nor used up, and the fence is not affected", async () => {
    const { exchange, apiKey } = venue.sandbox;
    await venue.paper.get("/v1/accounts", { nonce: "9000000000" });
    expect((await paper.order()).status).toBe(200);
    expect((await paper.get("account")).status).toBe(200);
    expect(exchange.lastNonce(apiKey)).toBe(9_000_000_000n);
    const late = await venue.paper.order({}, { nonce: "8999999999" });
    expect([late.status, late.json.error.code]).toEqual([401, "EAPI:Invalid nonce"]);
    expect((await venue.paper.order({}, { nonce: "9000000001" })).status).toBe(201);
    expect(openOrders()).toBe(2);
  });
});

describe("a key", () => {
  it("is accepted from its own addresses only, which is checked first", async () => {
    const elsewhere = clientOf({ ipAllowList: ["192.0.2.1"] });
    expect(refusal(await elsewhere.get("account", { nonsense: "1" }, { signature: "x" }))).toEqual(WRONG_KEY);
    expect(refusal(await elsewhere.get("no/such/path"))).toEqual(WRONG_KEY);
    expect(refusal(await elsewhere.order())).toEqual(WRONG_KEY);
    expect((await clientOf({ ipAllowList: ["127.0.0.1"] }).get("account")).status).toBe(200);
  });

  it("permits what its permissions say and nothing else", async () => {
    const looking = clientOf({ permissions: ["query"] });
    const trading = clientOf({ permissions: ["trade"] });
    const transferring = clientOf({ permissions: ["transfer"] });
    for (const client of [looking, transferring]) {
      expect(refusal(await client.order())).toEqual(WRONG_KEY);
      expect(refusal(await client.delete("openOrders", { symbol: "BTCKRW" }))).toEqual(WRONG_KEY);
    }
    for (const client of [trading, transferring]) expect(refusal(await client.get("account"))).toEqual(WRONG_KEY);
    expect((await looking.get("account")).status).toBe(200);
    expect((await trading.order()).status).toBe(200);
  });
});
