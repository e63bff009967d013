/** Transfers over real HTTP, with answers that the exchange loses on purpose: money moves once, and the key shows what became of it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../../src/contract/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { TransferClient } from "../../../src/venues/index.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";

let dir: string;
let sandbox: Sandbox;
let client: TransferClient;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "drafts-client-"));
  await open();
});
afterEach(async () => {
  await shut();
  await rm(dir, { recursive: true, force: true });
});

async function open(): Promise<void> {
  sandbox = await startSandbox({ dir, drafts: true, admin: {}, seed: 7, speed: 0.001 });
  const credentials = { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret };
  client = new TransferClient({ environment: "sandbox", baseUrl: () => Promise.resolve(sandbox.baseUrl), credentials });
}

async function shut(): Promise<void> {
  await client.close();
  await sandbox.close();
}

const admin = () => new AdminClient(sandbox.admin ?? { url: "", token: "" });
/** The next POST takes effect, and its answer is lost. */
const loseAnswer = () => admin().must("POST", "/faults", { kind: "drop", method: "POST", path: "/v0.1/*" });
const passTime = (ms: number) => admin().must("POST", "/clock", { advance_ms: ms });

let keys = 0;
const fresh = () => {
  keys += 1;
  return { idempotencyKey: `intent-${String(keys)}` };
};

function valueIn<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}

const won = () => sandbox.exchange.balances(sandbox.accountId).find(({ asset }) => asset === "KRW");
const ONE = 100_000_000n;

async function coins(): Promise<void> {
  await admin().must("POST", "/accounts/paper/deposits", { asset: "BTC", amount: "1" });
}

const quote = { amount: "90000", pay_asset: "BTC", order_ref: "cart-7" };
const beneficiary = { name: "Kim Minji", account: "123-456", bank_code: "BOFAUS3N", country: "US" };

describe("a payment whose answers are lost", () => {
  it("is paid once and refunded once, and both are found by their keys", async () => {
    await coins();
    const before = won()?.available ?? 0n;
    const quoting = fresh();
    await loseAnswer();
    expect(await client.quotePayment(quote, quoting)).toMatchObject({ ok: false, fault: quoting });
    const quoted = valueIn(await client.paymentBy(quoting.idempotencyKey));
    const id = quoted?.payment_id ?? "";
    expect(quoted).toMatchObject({ state: "quoted", ...quote });
    const paying = fresh();
    await loseAnswer();
    expect(await client.confirmPayment(id, paying)).toMatchObject({ ok: false, fault: { code: "ELocal:No answer" } });
    expect(valueIn(await client.paymentBy(paying.idempotencyKey))).toMatchObject({ payment_id: id, state: "paid" });
    expect((won()?.available ?? 0n) - before).toBe(90_000n * ONE);
    await passTime(2_000);
    const refunding = fresh();
    await loseAnswer();
    await client.refundPayment(id, "1000", refunding);
    expect(valueIn(await client.paymentBy(refunding.idempotencyKey))).toMatchObject({ refunded_amount: "1000" });
    // The same key again moves nothing more. The exchange promises it, although hoga does not rely on it.
    expect(valueIn(await client.refundPayment(id, "1000", refunding))).toMatchObject({ refunded_amount: "1000" });
    expect((won()?.available ?? 0n) - before).toBe(89_000n * ONE);
    expect(valueIn(await client.payments({ orderRef: "cart-7" })).payments).toHaveLength(1);
    expect(valueIn(await client.refundPayment(id, undefined, fresh())).state).toBe("refunded");
    expect(won()?.available).toBe(before);
  });

  it("is not found by its key when it never arrived", async () => {
    await admin().must("POST", "/faults", { kind: "error", method: "POST", path: "/v0.1/*", status: 503 });
    const key = fresh();
    expect(await client.quotePayment(quote, key)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(valueIn(await client.paymentBy(key.idempotencyKey, { afterNonce: "1" }))).toBeUndefined();
  });
});

describe("a remittance whose answer is lost", () => {
  it("is created once, is found after a restart of the exchange, and is canceled to the last won", async () => {
    const before = won()?.available;
    const asked = { source_asset: "KRW", target_currency: "USD", target_amount: "100", destination_country: "US" };
    const quoted = valueIn(await client.quoteRemittance(asked, fresh()));
    expect(valueIn(await client.remittanceQuote(quoted.quote_id))).toEqual(quoted);
    const making = fresh();
    const body = { quote_id: quoted.quote_id, beneficiary, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY" };
    await loseAnswer();
    expect(await client.createRemittance(body, making)).toMatchObject({ ok: false, fault: making });
    await shut();
    await open();
    const made = valueIn(await client.remittanceBy(making.idempotencyKey));
    expect(made).toMatchObject({ quote_id: quoted.quote_id, beneficiary, source_amount: quoted.source_amount });
    expect(valueIn(await client.createRemittance(body, making)).remittance_id).toBe(made?.remittance_id);
    expect(valueIn(await client.remittances()).remittances).toHaveLength(1);
    const id = made?.remittance_id ?? "";
    expect(valueIn(await client.cancelRemittance(id, fresh())).state).toBe("canceled");
    expect(valueIn(await client.remittance(id)).state).toBe("canceled");
    expect(won()).toMatchObject({ available: before, locked: 0n });
    expect(await client.cancelRemittance(id, fresh())).toMatchObject({
      ok: false,
      fault: { reachedVenue: "yes", status: 409, transferState: "canceled" },
    });
  });
});

describe("an exchange with the transfer APIs off", () => {
  it("refuses with its own code, and nothing was done", async () => {
    await shut();
    sandbox = await startSandbox({ dir, marketMaker: false });
    const credentials = { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret };
    client = new TransferClient({ environment: "sandbox", baseUrl: sandbox.baseUrl, credentials });
    const result = await client.payments();
    expect(result).toMatchObject({ ok: false, fault: { code: "EGeneral:Unknown method", reachedVenue: "yes" } });
    expect(!result.ok && result.fault.venueText).toContain("hoga sandbox --drafts");
  });
});
