import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WEBHOOK_TYPES } from "../../../src/contract/index.ts";
import type { SandboxOptions } from "../../../src/sandbox/index.ts";
import { eventually } from "../../fixture/command.ts";
import { coins, krw } from "../engine/exchange-kit.ts";
import { HOUR, openPartnerVenue, type PartnerVenue } from "./partner.ts";
import { startReceiver, type TestReceiver } from "./receiver.ts";

let venue: PartnerVenue;
let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await venue.sandbox.close();
  await receiver.close();
  expect(venue.defects).toEqual([]);
});

async function open(options: SandboxOptions = {}): Promise<void> {
  venue = await openPartnerVenue(options);
}

const arrived = (count: number, from = receiver) => eventually(() => from.received.length >= count || undefined);
const buy = (volume: number, more = {}) =>
  venue.place({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(volume), ...more });
const sell = (volume: number, more = {}) =>
  venue.place({ accountId: "bob", side: "sell", price: krw(1_000), volume: coins(volume), ...more });

/** What was received of one order, sorted, as several deliveries may be in flight at once. */
const receivedOf = (orderId: string): readonly string[] =>
  receiver.received
    .flatMap(({ event }) => {
      if ("order" in event.data && event.data.order.orderId === orderId)
        return [`${event.type} ${event.data.order.state} ${event.data.order.executed_volume}`];
      return [];
    })
    .sort();

describe("an event of an account", () => {
  it("is delivered to its endpoints once, signed, in the contract's form", async () => {
    await open();
    venue.register(receiver.url);
    const filled = buy(30_000);
    sell(10_000);
    sell(20_000);
    const canceled = buy(10_000);
    venue.cancel(canceled);
    const expired = buy(10_000, { timeInForce: "IOC" });
    // Seven of orders, two settlements, and what changed of two balances.
    await arrived(7 + 2 + 7);
    expect(receivedOf(filled.orderId)).toEqual([
      "order.created open 0",
      "order.filled filled 3",
      "order.partially_filled open 1",
    ]);
    expect(receivedOf(canceled.orderId)).toEqual(["order.canceled canceled 0", "order.created open 0"]);
    expect(receivedOf(expired.orderId)).toEqual(["order.created open 0", "order.expired expired 0"]);
    const settled = receiver.received.flatMap(({ event }) => (event.type === "settlement.settled" ? [event.data] : []));
    expect(settled.map(({ settlement: { amount } }) => amount).sort()).toEqual(["1", "2"]);
    expect(receiver.received.every(({ authentic }) => authentic)).toBe(true);
    const ids = receiver.received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^evt_[0-9a-f]{32}$/.test(id))).toBe(true);
    const balances = receiver.received.flatMap(({ event }) => (event.type === "balance.changed" ? [event.data] : []));
    expect(balances).toHaveLength(7);
    expect(balances).toContainEqual({
      account_id: "ann",
      balance: { asset: "BTC", total: "10000003", available: "10000003", locked: "0", unsettled: "0" },
    });
    expect(JSON.stringify(receiver.received)).not.toContain("bob");
  });

  it("is delivered to the endpoints of that account and type, from their registration on", async () => {
    await open();
    buy(10_000);
    const bobs = await startReceiver();
    onTestFinished(() => bobs.close());
    venue.register(receiver.url, ["order.canceled"]);
    venue.register(bobs.url, ["order.created", "order.filled"], "bob");
    venue.cancel(buy(10_000));
    sell(10_000);
    await arrived(2, bobs);
    await arrived(1);
    expect(receiver.types()).toEqual(["order.canceled"]);
    expect([...bobs.types()].sort()).toEqual(["order.created", "order.filled"]);
  });

  it("is delivered when no command made it: a settlement at the next midnight in Korea", async () => {
    await open();
    venue.register(receiver.url, ["settlement.settled", "settlement.failed"]);
    buy(10_000, { settlementMode: "STANDARD_KRW" });
    sell(10_000);
    venue.advance(24 * HOUR);
    await arrived(1);
    expect(receiver.received[0]?.event).toMatchObject({
      type: "settlement.settled",
      data: { account_id: "ann", settlement: { mode: "STANDARD_KRW", asset: "BTC", amount: "1", state: "settled" } },
    });
  });

  it("is delivered when a settlement fails because no KRW account is linked", async () => {
    await open();
    venue.register(receiver.url, ["settlement.settled", "settlement.failed"]);
    buy(10_000, { settlementMode: "STANDARD_KRW" });
    sell(10_000);
    venue.give({ type: "linkKrwAccount", accountId: "ann", linked: false });
    venue.advance(24 * HOUR);
    await arrived(1);
    expect(receiver.received[0]).toMatchObject({
      authentic: true,
      event: {
        type: "settlement.failed",
        data: { account_id: "ann", settlement: { mode: "STANDARD_KRW", amount: "1", state: "failed" } },
      },
    });
  });

  it("does not wait for one that hangs, at the same endpoint, not even for the first", async () => {
    await open();
    venue.register(receiver.url, ["order.created"]);
    receiver.behave("silent", 200);
    const began = performance.now();
    for (let count = 0; count < 12; count++) buy(10_000);
    await arrived(12);
    // An attempt without an answer ends after five seconds.
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  it("names the payment or remittance and its state alone", async () => {
    await open();
    venue.place({ accountId: "bob", side: "buy", price: krw(1_000), volume: coins(100_000) });
    venue.register(
      receiver.url,
      WEBHOOK_TYPES.filter((type) => /^(payment|remittance)\./.test(type)),
    );
    const own = { accountId: "ann", idempotency: null } as const;
    const quote = { amount: krw(1_500), payAsset: "BTC", orderRef: "7", description: null, expiresInMs: null };
    venue.give({ type: "quotePayment", paymentId: "pay-1", ...own, ...quote });
    venue.give({ type: "confirmPayment", paymentId: "pay-1", ...own });
    venue.advance(HOUR);
    venue.give({ type: "refundPayment", paymentId: "pay-1", amount: null, ...own });
    const sending = { sourceAsset: "KRW", targetCurrency: "USD", destinationCountry: "US" } as const;
    venue.give({
      type: "quoteRemittance",
      quoteId: "q-1",
      ...own,
      ...sending,
      amount: krw(100_000),
      targetAmount: null,
    });
    const beneficiary = { name: "Kim", account: "12", bankCode: "004", country: "US" };
    const rule = { originatorVaspId: "vasp", beneficiaryVaspId: null, purposeCode: "FAMILY" };
    venue.give({ type: "createRemittance", remittanceId: "rem-1", quoteId: "q-1", ...own, beneficiary, ...rule });
    venue.advance(24 * HOUR);
    await eventually(() => receiver.types().includes("remittance.completed") || undefined);
    await arrived(8);
    const received = receiver.received.map(({ event: { type, data } }) => `${type} ${JSON.stringify(data)}`).sort();
    const payment = (state: string) => `payment.${state} {"account_id":"ann","payment_id":"pay-1","state":"${state}"}`;
    const remittance = (state: string) =>
      `remittance.${state} {"account_id":"ann","remittance_id":"rem-1","state":"${state}"}`;
    expect(received).toEqual([
      ...["paid", "quoted", "refunded", "settled"].map(payment),
      ...["completed", "compliance_review", "created", "sent"].map(remittance),
    ]);
  });

  it("is not delivered to an endpoint that was removed, and its waiting deliveries are gone", async () => {
    await open();
    receiver.behave(500);
    venue.register(receiver.url, ["order.created"], "ann", "wh_1");
    buy(10_000);
    await arrived(1);
    venue.give({ type: "unregisterWebhook", webhookId: "wh_1" });
    buy(10_000);
    venue.advance(24 * HOUR);
    // The next endpoint registered there receives the events from then on.
    venue.register(receiver.url, ["order.canceled"], "ann", "wh_2");
    venue.cancel(buy(10_000));
    await arrived(2);
    expect(receiver.types()).toEqual(["order.created", "order.canceled"]);
  });

  it("is signed with a receiver's own time, however far the exchange's clock is ahead", async () => {
    await open();
    venue.register(receiver.url, ["order.created"]);
    venue.advance(1_000 * HOUR);
    buy(10_000);
    await arrived(1);
    const [{ authentic, event } = { authentic: false, event: undefined }] = receiver.received;
    expect(authentic).toBe(true);
    expect(Date.parse(event?.created_at ?? "") - Date.now()).toBeGreaterThan(999 * HOUR);
  });
});

describe("an account without an endpoint", () => {
  it("costs nothing, not even a file", async () => {
    const dir = mkdtempSync(join(tmpdir(), "hoga-webhook-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    await open({ dir });
    buy(10_000);
    expect(existsSync(join(dir, "webhooks.log"))).toBe(false);
    venue.register(receiver.url, ["order.created"], "ann", "wh_1");
    expect(existsSync(join(dir, "webhooks.log"))).toBe(true);
    buy(10_000);
    await arrived(1);
  });
});

describe("a sandbox that is started again", () => {
  it("delivers again what was not accepted", async () => {
    const dir = mkdtempSync(join(tmpdir(), "hoga-webhook-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    await open({ dir });
    receiver.behave("silent");
    venue.register(receiver.url, ["order.created"]);
    const placed = buy(10_000);
    await arrived(1);
    await venue.sandbox.close();
    receiver.behave(200);
    await open({ dir });
    await arrived(2);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receivedOf(placed.orderId)).toHaveLength(2);
  });
});
