/** The webhook events of payments and remittances that do not complete. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { WEBHOOK_TYPES } from "../../../src/contract/index.ts";
import { ACCOUNT_REJECTED, ACCOUNT_RETURNED } from "../../../src/sandbox/model/index.ts";
import { eventually } from "../../fixture/command.ts";
import { must } from "../http/venue.ts";
import { RECEIVER_SECRET, startReceiver, type TestReceiver } from "../webhook/receiver.ts";
import { openTransferVenue, type TransferVenue } from "./transfer-venue.ts";

let venue: TransferVenue;
let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
  venue = await openTransferVenue({ now: Date.now });
  const types = WEBHOOK_TYPES.filter((type) => /^(payment|remittance)\./.test(type));
  const webhook = { webhookId: "wh_1", accountId: "paper", url: receiver.url, secret: RECEIVER_SECRET, types };
  must(venue.sandbox.exchange.apply({ type: "registerWebhook", webhook }, Date.now()));
});
afterEach(async () => {
  await venue.sandbox.close();
  await receiver.close();
  expect(venue.defects).toEqual([]);
});

const advance = (byMs: number) => must(venue.sandbox.exchange.apply({ type: "advanceClock", byMs }, Date.now()));

async function made(target: string, body: object, id: "payment_id" | "quote_id" | "remittance_id"): Promise<string> {
  const { status, json, text } = await venue.post(target, body);
  if (status !== 201) throw new Error(text);
  return json[id] as string;
}

async function remit(account: string): Promise<string> {
  const asked = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
  const beneficiary = { name: "Kim Minji", account, bank_code: "BOFAUS3N", country: "US" };
  const quote_id = await made("/v0.1/remittances/quotes", asked, "quote_id");
  const rest = { originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY" };
  return made("/v0.1/remittances", { quote_id, beneficiary, ...rest }, "remittance_id");
}

it("a payment that expires, is canceled or partly refunded, a remittance that is rejected, canceled or returned", async () => {
  const quote = () => made("/v0.1/payments", { amount: "90000", pay_asset: "BTC", order_ref: "7" }, "payment_id");
  const [paid, canceled, expired] = [await quote(), await quote(), await quote()];
  await venue.post(`/v0.1/payments/${paid}/confirm`);
  await venue.post(`/v0.1/payments/${canceled}/cancel`);
  const [rejected, returned, back] = [await remit(ACCOUNT_REJECTED), await remit(ACCOUNT_RETURNED), await remit("12")];
  await venue.post(`/v0.1/remittances/${back}/cancel`);
  advance(60_000);
  await venue.post(`/v0.1/payments/${paid}/refund`, { amount: "1" });
  const ends = [
    ["payment.partially_refunded", paid],
    ["payment.canceled", canceled],
    ["payment.expired", expired],
    ["remittance.rejected", rejected],
    ["remittance.returned", returned],
    ["remittance.canceled", back],
  ] as const;
  const told = () =>
    receiver.received.flatMap(({ authentic, event: { type, data } }) => {
      const id = "payment_id" in data ? data.payment_id : "remittance_id" in data ? data.remittance_id : "";
      return authentic ? [`${type} ${id}`] : [];
    });
  const expected = ends.map(([type, id]) => `${type} ${id}`);
  await eventually(() => expected.every((each) => told().includes(each)) || undefined);
  expect(new Set(told()).size).toBe(told().length);
});
