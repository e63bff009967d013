import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fault, Result } from "../../../src/contract/index.ts";
import type { ClientOptions } from "../../../src/venues/hoga/api-client.ts";
import { sign, TradingApiClient } from "../../../src/venues/index.ts";
import { ORDER_ID } from "../../fixture/order-sample.ts";
import {
  answer,
  type Behaviour,
  cut,
  flood,
  garble,
  hang,
  hangUp,
  html,
  KEY,
  orderBody,
  reset,
  SECRET,
  stall,
  startWire,
  type Wire,
} from "./wire.ts";

const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5_000, deadlineMs: 10_000 };

const compliance = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: "TIER2",
  settlement_mode: "INSTANT_KRW",
} as const;
const order = { ...orderBody, compliance };

const done = (result: unknown): Behaviour => answer({ error: [], result });
const refuse = (code: string, status = 200, headers = {}): Behaviour =>
  answer({ error: [code], result: {} }, status, headers);
const taken = {
  descr: { order: "buy 0.01500000 BTC/KRW @ limit 95000000" },
  txid: [ORDER_ID],
  orderId: ORDER_ID,
  settlement: { mode: "INSTANT_KRW", expected_settle_time: "T+0", krw_account_linked: true },
};
const canceled = { count: 1, pending: false, txid: [ORDER_ID] };

let wire: Wire;
let client: TradingApiClient;
beforeEach(async () => {
  wire = await startWire(hang);
  client = clientOf();
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

function clientOf(options: Partial<ClientOptions> = {}): TradingApiClient {
  const credentials = { apiKey: KEY, apiSecret: SECRET };
  return new TradingApiClient({
    environment: "sandbox",
    baseUrl: wire.url,
    credentials,
    timeouts,
    random: () => 0,
    ...options,
  });
}

/** Every call that may change something at the venue. */
const writes: readonly (readonly [string, () => Promise<Result<unknown>>])[] = [
  ["submit", () => client.submit(order, async () => true)],
  ["submit without beforeSend", () => client.submit(order)],
  ["validateOrder", () => client.validateOrder(order)],
  ["cancel", () => client.cancel("BTC/KRW", ORDER_ID)],
  ["cancelAll", () => client.cancelAll()],
  ["setCancelTimer", () => client.setCancelTimer(60)],
];

const fates: readonly (readonly [string, Behaviour, string, Fault["reachedVenue"]])[] = [
  ["no answer in time", hang, "ELocal:No answer", "unknown"],
  ["a reset", reset, "ELocal:No answer", "unknown"],
  ["a connection closed after the request was read", hangUp, "ELocal:No answer", "unknown"],
  ["a cut answer", cut({ error: [], result: taken }), "ELocal:No answer", "unknown"],
  ["an answer that stalls", stall, "ELocal:No answer", "unknown"],
  ["bytes that are not HTTP", garble, "ELocal:Unreadable answer", "unknown"],
  ["an HTML page", html, "ELocal:Unreadable answer", "unknown"],
  ["an endless answer", flood, "ELocal:Unreadable answer", "unknown"],
  ["an answer without its envelope", answer(taken), "ELocal:Unreadable answer", "unknown"],
  ["no error and an empty result", done({}), "ELocal:Unreadable answer", "unknown"],
  [
    "an error and a result at once",
    answer({ error: ["EOrder:Invalid price"], result: taken }),
    "ELocal:Unreadable answer",
    "unknown",
  ],
  ["a redirect", answer("", 302, { location: "/0/" }), "ELocal:Unreadable answer", "unknown"],
  ["a 502 page", answer("<html>bad gateway</html>", 502), "ELocal:Unreadable answer", "unknown"],
  [
    "a 502 that says nothing went wrong",
    answer({ error: [], result: taken }, 502),
    "ELocal:Unreadable answer",
    "unknown",
  ],
  ["an outage of the service", refuse("EService:Unavailable"), "EService:Unavailable", "unknown"],
  ["an outage reported with its status", refuse("EService:Unavailable", 503), "EService:Unavailable", "unknown"],
  ["a time-out of the service", refuse("EService:Timeout"), "EService:Timeout", "unknown"],
  ["an outage in other words", refuse("EService:Busy"), "EService:Busy", "unknown"],
  ["a failure with an unlisted code", refuse("EGeneral:Internal error"), "EGeneral:Internal error", "unknown"],
  [
    "an unlisted code that its status calls a refusal",
    refuse("EGeneral:No such thing", 400),
    "EGeneral:No such thing",
    "yes",
  ],
  ["a refused nonce", refuse("EAPI:Invalid nonce"), "EAPI:Invalid nonce", "unknown"],
  ["a refusal in our own name", refuse("ELocal:Venue unreachable"), "ELocal:Unreadable answer", "unknown"],
  ["a rate limit", refuse("EAPI:Rate limit exceeded", 200, { "retry-after": "0" }), "EAPI:Rate limit exceeded", "yes"],
  ["a refusal", refuse("EOrder:Insufficient funds"), "EOrder:Insufficient funds", "yes"],
  ["a refusal with an unlisted code", refuse("EOrder:New rule"), "EOrder:New rule", "yes"],
];

describe.each(writes)("%s", (_, write) => {
  it.each(fates)("is one request after %s, and its fault is truthful", async (_name, behaviour, code, reachedVenue) => {
    wire.script = [behaviour];
    expect(await write()).toMatchObject({ ok: false, fault: { code, reachedVenue } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wire.arrivals).toHaveLength(1);
  });

  it("is a form that begins with its nonce, signed over its path and its bytes", async () => {
    await write();
    const [{ line, headers, body } = { line: "", headers: {}, body: "" }] = wire.arrivals;
    const [method, path = ""] = line.split(" ");
    const nonce = /^nonce=(\d+)/.exec(body)?.[1] ?? "";
    expect([method, headers["content-type"], headers["api-nonce"]]).toEqual([
      "POST",
      "application/x-www-form-urlencoded",
      undefined,
    ]);
    expect(headers["api-key"]).toBe(KEY);
    expect(headers["api-sign"]).toBe(sign(path, nonce, body, Buffer.from(SECRET, "base64")));
  });

  it("sends nothing without a key, or after close", async () => {
    const keyed = client;
    client = new TradingApiClient({ environment: "sandbox", baseUrl: wire.url });
    expect(await write()).toMatchObject({ ok: false, fault: { code: "ELocal:No key", reachedVenue: "no" } });
    await client.close();
    client = keyed;
    await client.close();
    expect(await write()).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
  });
});

describe("an order", () => {
  it("is sent with the fields of the Trading API", async () => {
    wire.script = [done(taken)];
    expect(await client.submit({ ...order, post_only: true })).toEqual({ ok: true, value: taken });
    const amount = { symbol: "BTCKRW", side: "buy", type: "market", amount: "50000", compliance } as const;
    await client.submit(amount);
    const forms = wire.arrivals.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    const { nonce: _, ...limit } = forms[0] ?? {};
    expect(limit).toEqual({
      pair: "BTC/KRW",
      type: "buy",
      ordertype: "limit",
      volume: "0.015",
      price: "95000000",
      oflags: "post",
      userref: "desk-1",
      ...compliance,
    });
    expect(forms[1]).toMatchObject({ pair: "BTCKRW", ordertype: "market", volume: "50000", oflags: "viqc" });
  });

  it("when it lacks travel-rule metadata, stays unsent, and the fault says what is missing and where to set it", async () => {
    const { kyc_level: _, ...rest } = compliance;
    expect(await client.submit(orderBody)).toMatchObject({
      ok: false,
      fault: {
        code: "ECompliance:Missing travel-rule metadata",
        reachedVenue: "no",
        field: "vasp_purpose_code, originator_vasp_id, kyc_level, settlement_mode",
        nextAction: expect.stringContaining("[profiles.NAME.compliance]"),
      },
    });
    const partial = await client.submit({ ...orderBody, compliance: rest as typeof compliance });
    expect(partial).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
  });

  it("refused for missing metadata names the missing fields", async () => {
    wire.script = [refuse("ECompliance:Missing travel-rule metadata: kyc_level, settlement_mode")];
    expect(await client.submit(order)).toMatchObject({
      ok: false,
      fault: {
        code: "ECompliance:Missing travel-rule metadata",
        reachedVenue: "yes",
        field: "kyc_level, settlement_mode",
        nextAction: "Send all four compliance fields.",
      },
    });
  });

  it.each([
    ["price", { ...order, price: "0,95" }],
    ["volume", { ...order, volume: undefined }],
    ["amount", { ...order, amount: "5" }],
    ["dryRun", { ...order, dryRun: true }],
    ["validate_only", { ...order, validate_only: true }],
  ])("is not sent with a wrong %s", async (field, body) => {
    const result = await client.submit(body as typeof order);
    expect(result).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input", reachedVenue: "no", field } });
    expect(wire.arrivals).toHaveLength(0);
  });

  it.each([
    ["two ids that differ", { ...taken, txid: ["01999f3e-7a10-7c31-9a52-0c6d5b1f2a78"] }],
    ["another side", { ...taken, descr: { order: "sell 0.01500000 BTC/KRW @ limit 95000000" } }],
  ])("is unknown when the answer shows %s", async (_, result) => {
    wire.script = [done(result)];
    expect(await client.submit(order)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
  });

  it("when it was to be checked but was placed, does not pass for checked", async () => {
    wire.script = [done({ descr: taken.descr }), done(taken)];
    expect(await client.validateOrder(order)).toEqual({ ok: true, value: { descr: taken.descr } });
    expect(await client.validateOrder(order)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(wire.arrivals.every(({ body }) => body.endsWith("&validate=true"))).toBe(true);
  });

  it("passes its nonce to `beforeSend`, and is not sent when that resolves to false", async () => {
    wire.script = [done(taken)];
    const seen: [string, number][] = [];
    await client.submit(order, async (nonce) => {
      seen.push([nonce, wire.arrivals.length]);
      return true;
    });
    expect(seen).toEqual([[/^nonce=(\d+)/.exec(wire.arrivals[0]?.body ?? "")?.[1], 0]]);
    const stopped = await client.submit(order, async () => false);
    expect(stopped).toMatchObject({ ok: false, fault: { code: "ELocal:Not placed", reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(1);
  });
});

describe("a cancel", () => {
  it("names one order by its id, because a userref may stand for several", async () => {
    wire.script = [done(canceled)];
    expect(await client.cancel("BTC/KRW", ORDER_ID)).toEqual({ ok: true, value: canceled });
    expect(await client.cancel("BTC/KRW", "desk-1")).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(1);
    wire.script = [done({ ...canceled, txid: ["01999f3e-7a10-7c31-9a52-0c6d5b1f2a78"] })];
    expect(await client.cancel("BTC/KRW", ORDER_ID)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
  });
});

describe("a read", () => {
  const fine = done({ KRW: "10" });
  const balance = () => client.query("Balance");

  it.each<readonly [string, Behaviour]>([
    ["no answer in time", hang],
    ["an answer without its envelope", answer({ KRW: "10" })],
    ["a 502 page", answer("<html>", 502)],
    ["an outage of the service", refuse("EService:Unavailable")],
    ["a rate limit", refuse("EAPI:Rate limit exceeded", 200, { "retry-after": "0" })],
    ["a refused nonce", refuse("EAPI:Invalid nonce")],
  ])("is asked again after %s, with a larger nonce", async (_, behaviour) => {
    wire.script = [behaviour, fine];
    expect(await balance()).toEqual({ ok: true, value: { KRW: "10" } });
    const nonces = wire.arrivals.map(({ body }) => BigInt(/^nonce=(\d+)/.exec(body)?.[1] ?? "0"));
    expect(nonces).toHaveLength(2);
    expect((nonces[1] ?? 0n) > (nonces[0] ?? 0n)).toBe(true);
  });

  it.each(["EGeneral:Permission denied", "EOrder:Unknown order", "EAPI:Invalid signature"])(
    "is not asked again after %s",
    async (code) => {
      wire.script = [refuse(code), fine];
      expect(await balance()).toMatchObject({ ok: false, fault: { code, reachedVenue: "yes" } });
      expect(wire.arrivals).toHaveLength(1);
    },
  );

  it("is not a refusal because of a warning", async () => {
    wire.script = [answer({ error: ["WGeneral:Slow day"], result: { KRW: "10" } })];
    expect(await balance()).toEqual({ ok: true, value: { KRW: "10" } });
  });

  it("when it is public, goes as a GET without a signature", async () => {
    wire.script = [done({ status: "online", timestamp: "2026-07-20T09:00:00.000Z" })];
    expect((await client.query("SystemStatus")).ok).toBe(true);
    expect(wire.arrivals[0]?.line).toBe("GET /0/public/SystemStatus");
    expect(wire.arrivals[0]?.headers).not.toHaveProperty("api-sign");
  });

  it("about an order is not sent with a nonce that is not larger than `afterNonce`", async () => {
    const result = await client.orders({ userref: "desk-1", state: "all" }, { afterNonce: "99999999999999999" });
    expect(result).toMatchObject({ ok: false, fault: { code: "ELocal:Store unavailable", reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
  });
});
