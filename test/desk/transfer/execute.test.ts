/** The road of a payment and a remittance, over the real client, store and exchange. */
import { describe, expect, it } from "vitest";
import type { TransferName } from "../../../src/desk/index.ts";
import { lookedUp } from "../../../src/mcp/tool/transfer-text.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  quotePayment,
  quoteRemittance,
  seat,
  send,
  sentRemittance,
  settledPayment,
  transferWorldPerTest,
  world,
} from "./transfer-world.ts";

transferWorldPerTest();
const writes = () => world.proxy.log.filter(({ method, path }) => method === "POST" && !isQuote(path)).length;
const isQuote = (path: string) => path === "/v0.1/payments" || path === "/v0.1/remittances/quotes";

describe("a payment", () => {
  it("is quoted, paid once, shown, and given back in two parts, each of them once", async () => {
    const before = world.available("KRW");
    const quoted = await seat.transfers.quotePayment({ amount: "50000", pay_asset: "BTC", order_ref: "cart-1" });
    expect(quoted).toMatchObject({ ok: true, value: { draft: true, policy: "allowed", value: "50001" } });
    const payment_id = (quoted.ok && quoted.value.payment?.payment_id) || "";
    const confirm = { kind: "confirm_payment", payment_id } as const;
    const paid = await seat.transfers.make(confirm);
    expect(paid).toMatchObject({ draft: true, outcome: "accepted", state: "paid", payment: { payment_id } });
    expect(await seat.transfers.make(confirm)).toMatchObject({ outcome: "accepted", transfer_id: paid.transfer_id });
    expect(writes()).toBe(1);
    expect(Number(world.available("KRW")) - Number(before)).toBe(50_000);
    expect(await seat.transfers.make({ kind: "refund_payment", payment_id })).toMatchObject({ outcome: "not_sent" });
    world.pass(2_000);
    const refund = { kind: "refund_payment", payment_id, amount: "20000" } as const;
    expect(await seat.transfers.make(refund)).toMatchObject({ outcome: "accepted", state: "partially_refunded" });
    expect(await seat.transfers.make(refund)).toMatchObject({ payment: { refunded_amount: "20000" } });
    expect(writes()).toBe(2);
    const again = await seat.transfers.make({ ...refund, userref: "second" });
    expect(again).toMatchObject({ outcome: "accepted", payment: { refunded_amount: "40000" } });
    const rest = await seat.transfers.make({ kind: "refund_payment", payment_id });
    expect(rest).toMatchObject({ outcome: "accepted", state: "refunded", payment: { refunded_amount: "50000" } });
    expect(world.available("KRW")).toBe(before);
    expect(await seat.transfers.payment({ id: payment_id })).toMatchObject({ ok: true, value: { state: "refunded" } });
  });

  it("is not made of a quote that has expired, or that is not there", async () => {
    const payment_id = await quotePayment(seat);
    world.pass(60_000);
    const late = await seat.transfers.make({ kind: "confirm_payment", payment_id });
    expect(late).toMatchObject({ outcome: "not_sent", state: "denied", error: { code: "ELocal:Draft not usable" } });
    expect(late.next_action).toContain("quote_payment");
    const none = { kind: "confirm_payment", payment_id: payment_id.replace(/.$/, "0") } as const;
    expect(await seat.transfers.make(none)).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(writes()).toBe(0);
  });

  it("when asked for again, shows how it stands now, or says that it may have changed since", async () => {
    const payment_id = await settledPayment(world, seat);
    await seat.transfers.make({ kind: "refund_payment", payment_id });
    const confirm = { kind: "confirm_payment", payment_id } as const;
    const again = await seat.transfers.make(confirm);
    expect(again).toMatchObject({ outcome: "accepted", state: "refunded", payment: { refunded_amount: "50000" } });
    world.proxy.plan(new RegExp(`^GET /v0.1/payments/${payment_id}`), "deny", 1);
    const unseen = await seat.transfers.make(confirm);
    expect(unseen).toMatchObject({ outcome: "accepted", state: "paid" });
    expect(unseen.warnings.join()).toContain("the one shown is as recorded");
  });

  it("when the exchange refuses it, is rejected, and may be asked for again with the same quote", async () => {
    const payment_id = await quotePayment(seat, { amount: "900000000" });
    const confirm = { kind: "confirm_payment", payment_id } as const;
    const refused = await seat.transfers.make(confirm);
    expect(refused).toMatchObject({ outcome: "not_sent", error: { rule: "size" } });
    const small = await quotePayment(seat);
    world.sandbox.exchange.apply(
      { type: "withdraw", accountId: world.sandbox.accountId, asset: "BTC", amount: 100_000_000n },
      Date.now(),
    );
    const poor = await seat.transfers.make({ kind: "confirm_payment", payment_id: small });
    expect(poor).toMatchObject({
      outcome: "rejected",
      state: "rejected",
      error: { code: "EOrder:Insufficient funds" },
    });
    world.sandbox.exchange.apply(
      { type: "deposit", accountId: world.sandbox.accountId, asset: "BTC", amount: 100_000_000n },
      Date.now(),
    );
    const then = await seat.transfers.make({ kind: "confirm_payment", payment_id: small });
    expect(then).toMatchObject({ outcome: "accepted", state: "paid" });
    expect(then.transfer_id).not.toBe(poor.transfer_id);
  });
});

describe("a remittance", () => {
  it("is quoted, sent once, goes through its states, and is not taken back once it is sent", async () => {
    const before = world.available("KRW");
    const quote_id = await quoteRemittance(seat);
    const sent = await send(seat, quote_id);
    expect(sent).toMatchObject({ draft: true, outcome: "accepted", state: "created" });
    expect(await send(seat, quote_id)).toMatchObject({ transfer_id: sent.transfer_id, outcome: "accepted" });
    expect(writes()).toBe(1);
    expect(Number(before) - Number(world.available("KRW"))).toBe(200_000);
    const remittance_id = sent.remittance?.remittance_id ?? "";
    const state = async () => {
      const seen = await seat.transfers.remittance({ id: remittance_id });
      return seen.ok ? seen.value.state : seen.fault.code;
    };
    const said = async (name: TransferName) => {
      const seen = await seat.transfers.remittance(name);
      const [text] = seen.ok ? lookedUp(seat.desk, seen.value).content : [];
      return text?.type === "text" ? text.text : "";
    };
    world.pass(1_000);
    expect(await state()).toBe("compliance_review");
    world.pass(2_000);
    expect(await state()).toBe("sent");
    const late = await seat.transfers.make({ kind: "cancel_remittance", remittance_id });
    expect(late).toMatchObject({ outcome: "rejected", kind: "cancel_remittance" });
    world.pass(3_000);
    expect(await state()).toBe("completed");
    expect(await said({ transferId: late.transfer_id ?? "" })).toMatch(
      /^\[sandbox\] Draft API\. cancel_remittance is rejected\. The remittance itself is completed: /,
    );
    expect(await said({ id: remittance_id })).toMatch(/^\[sandbox\] Draft API\. Completed: /);
    const named = await seat.transfers.remittance({ transferId: sent.transfer_id ?? "" });
    expect(named).toMatchObject({ ok: true, value: { state: "completed", transfer_id: sent.transfer_id } });
  });

  it("is taken back before it is sent, and the money is there again", async () => {
    const before = world.available("KRW");
    const remittance_id = await sentRemittance(seat);
    const cancel = { kind: "cancel_remittance", remittance_id } as const;
    expect(await seat.transfers.make(cancel)).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(world.available("KRW")).toBe(before);
    expect(await seat.transfers.make(cancel)).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(writes()).toBe(2);
  });

  it("when it lacks what the travel rule asks for, tells what is missing and what to do, and asks nobody", async () => {
    const quote_id = await quoteRemittance(seat);
    const asked = world.proxy.log.length;
    const lacking = await seat.transfers.make({
      kind: "send_remittance",
      quote_id,
      beneficiary: { name: "Kim Minji", account: " ", country: "US" },
    });
    expect(lacking).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ECompliance:Missing travel-rule metadata", field: "beneficiary.account" },
    });
    for (const field of ["beneficiary.account", "beneficiary.bank_code", "originator_vasp_id", "purpose_code"]) {
      expect(lacking.error?.message).toContain(field);
      expect(lacking.next_action).toContain(field);
    }
    expect(lacking.error?.message).not.toContain("beneficiary.name");
    expect(world.proxy.log).toHaveLength(asked);
  });

  it("is one of its quote: another beneficiary on a used quote is refused", async () => {
    const quote_id = await quoteRemittance(seat);
    await send(seat, quote_id);
    const other = { name: "Lee Jun", account: "999-888-7777", bank_code: "BOFAUS3N", country: "US" };
    const report = await seat.transfers.make({
      kind: "send_remittance",
      quote_id,
      beneficiary: other,
      originator_vasp_id: "VASP-KR-1",
      purpose_code: "FAMILY_SUPPORT",
    });
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Userref in use" } });
    expect(writes()).toBe(1);
  });
});

describe("what is personal", () => {
  it("is in no report, no row of the log, and not in the store any more once it is done", async () => {
    const sent = await send(seat, await quoteRemittance(seat));
    const rows = await unwrap(world.store.audit.recent({ limit: 100 }));
    const kept = await unwrap(world.store.transfers.byId(sent.transfer_id ?? ""));
    const seen = await seat.transfers.remittance({ id: sent.remittance?.remittance_id ?? "" });
    for (const told of [sent, rows, kept, seen]) {
      const text = JSON.stringify(told);
      expect(text).toContain("…7890");
      expect(text).not.toContain("234-567890");
      expect(text).not.toContain("Minji");
    }
  });

  it("logs a step of everything: quoted, recorded, numbered, done", async () => {
    const payment = await settledPayment(world, seat);
    const rows = [...(await unwrap(world.store.audit.recent({ limit: 100 })))].reverse();
    expect(rows.map(({ event, detail }) => [event, detail["to"]])).toEqual([
      ["payment_quoted", undefined],
      ["transfer_recorded", "approved"],
      ["transfer_moved", "submitting"],
      ["transfer_moved", "done"],
    ]);
    expect(rows[1]?.detail).toMatchObject({
      draft: true,
      task: { kind: "confirm_payment", quote: { payment_id: payment } },
    });
    expect(rows[2]?.detail).toMatchObject({ held: "50001" });
    expect(await world.store.audit.verify()).toMatchObject({ ok: true });
  });
});
