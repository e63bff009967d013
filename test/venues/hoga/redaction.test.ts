import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../../src/contract/index.ts";
import { type ClientOptions, OpenApiClient, TradingApiClient, TransferClient } from "../../../src/venues/index.ts";
import { order } from "../../fixture/order-sample.ts";
import { fillOf, ScriptedVenue } from "./stream/scripted-venue.ts";
import { accounts, answer, html, KEY, orderBody, refuse, SECRET, startWire, type Wire } from "./wire.ts";

const HIDDEN = "[hidden]";
const hidden: string[] = [];

function redact<T>(value: T): T {
  const text = JSON.stringify(value);
  if (!text?.includes(KEY)) return value;
  hidden.push(text);
  return JSON.parse(text.replaceAll(KEY, HIDDEN));
}

let wire: Wire;
let events: unknown[];
let clients: { close(): Promise<void> }[];
beforeEach(async () => {
  wire = await startWire(html);
  events = [];
  clients = [];
  hidden.length = 0;
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await wire.close();
});

function made<T extends { close(): Promise<void> }>(
  Client: new (options: ClientOptions) => T,
  given: Partial<ClientOptions> = {},
): T {
  const client = new Client({
    environment: "sandbox",
    baseUrl: wire.url,
    credentials: { apiKey: KEY, apiSecret: SECRET },
    redact,
    onEvent: (event) => events.push(event),
    ...given,
  });
  clients.push(client);
  return client;
}

const compliance = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: "TIER2",
  settlement_mode: "INSTANT_KRW",
} as const;

/** A public read, a private read and a write of every client. */
const calls: readonly (readonly [string, () => Promise<Result<unknown>>])[] = [
  ["markets of the Open API", () => made(OpenApiClient).markets()],
  ["orders of the Open API", () => made(OpenApiClient).orders()],
  ["submit of the Open API", () => made(OpenApiClient).submit(orderBody)],
  ["cancelAll of the Open API", () => made(OpenApiClient).cancelAll()],
  ["markets of the Trading API", () => made(TradingApiClient).markets()],
  ["accounts of the Trading API", () => made(TradingApiClient).accounts()],
  ["submit of the Trading API", () => made(TradingApiClient).submit({ ...orderBody, compliance })],
  ["payments", () => made(TransferClient).payments()],
  ["cancelPayment", () => made(TransferClient).cancelPayment(order.uuid, { idempotencyKey: "intent-1" })],
];

describe("a venue that quotes the API key", () => {
  it.each(calls)("when it does so in a refusal of %s, neither the fault nor the event quotes it", async (_, call) => {
    const said = { message: `you sent ${KEY}`, field: KEY, user_action_url: `https://help.example/?key=${KEY}` };
    const body = { error: { code: "EOrder:Invalid price", request_id: KEY, ...said } };
    wire.script = [answer(body, 422)];
    const open = await call();
    wire.script = [answer({ error: [`EOrder:Invalid price:${KEY}`], result: {} }, 400)];
    const trading = await call();
    for (const result of [open, trading]) {
      expect(result.ok).toBe(false);
      expect(inspect([result, events], { depth: 20 })).not.toContain(KEY);
    }
    expect(hidden).toHaveLength(1);
  });

  it("is not quoted by an order, a list of orders or a fill", async () => {
    const client = made(OpenApiClient);
    const quoting = { ...order, reject_reason: `key ${KEY}` };
    const shown = { ...order, reject_reason: `key ${HIDDEN}` };
    wire.script = [answer(quoting, 201)];
    expect(await client.submit(orderBody)).toEqual({ ok: true, value: shown });
    wire.script = [answer({ orders: [quoting], next_cursor: KEY })];
    expect(await client.orders()).toEqual({ ok: true, value: { orders: [shown], next_cursor: HIDDEN } });
    wire.script = [answer({ trades: [{ ...fillOf(1), userref: KEY }], next_cursor: null })];
    expect(await client.fills()).toMatchObject({ ok: true, value: { trades: [{ userref: HIDDEN }] } });
  });

  it("when it does so as the name of the account, the client makes up a name that only this key has", async () => {
    const client = made(OpenApiClient);
    const named = async (accountId: string) => {
      wire.script = [answer({ ...accounts, account_id: accountId })];
      const result = await client.accounts();
      return result.ok ? result.value.account_id : result.fault.code;
    };
    const [first, again, other] = [await named(KEY), await named(KEY), await named(`${KEY}2`)];
    expect(first).toBe(`${HIDDEN} ${client.keyId}`);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(await named("acc-1")).toBe("acc-1");
  });

  it("when it does so in a message of the stream, no listener sees it", async () => {
    const venue = await ScriptedVenue.open();
    const received: unknown[] = [];
    venue.stream({ redact }).orders((update) => received.push(update));
    await (await venue.call()).grant("orders", { seq: 1, orders: [{ ...order, reject_reason: KEY }] });
    await expect.poll(() => received).toEqual([{ ...order, reject_reason: HIDDEN }]);
    await venue.close();
  });
});

it.each([OpenApiClient, TradingApiClient, TransferClient])(
  "%o calls its key and its lane by a name that is the same for all clients of the key, and never by the key",
  async (Client) => {
    const entered: string[] = [];
    const lane = {
      enter: async (keyId: string) => {
        entered.push(keyId);
        return { nonce: 1n, leave: async () => {} };
      },
      pause: async (keyId: string) => {
        entered.push(keyId);
      },
    };
    wire.script = [refuse("EAPI:Rate limit exceeded", 429)];
    const client = made<OpenApiClient | TradingApiClient | TransferClient>(Client, { lane });
    if (client instanceof TransferClient) await client.cancelPayment(order.uuid, { idempotencyKey: "intent-1" });
    else await client.cancel("BTC/KRW", order.uuid);
    const { keyId } = made(OpenApiClient);
    expect(keyId).toMatch(/^[0-9a-f]{32}$/);
    expect(client.keyId).toBe(keyId);
    expect(entered).toEqual([keyId, keyId]);
  },
);
