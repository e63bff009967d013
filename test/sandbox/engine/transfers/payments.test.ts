import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, HOUSE, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import type { Applied, Command, PaymentRecord, Refusal, TransferCommand } from "../../../../src/sandbox/model/index.ts";
import { balance, coins, krw, place, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

const WON = krw(10_000_000);
const COINS = krw(1_000);
/** Bob's bids set the rate: 1,000 won for one unit. */
let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
  place(engine, { accountId: "bob", side: "buy", price: krw(1_000), volume: coins(10_000) });
});

const give = (command: Command, at = T0) => engine.apply(command, at);

type Terms = Partial<Extract<TransferCommand, { type: "quotePayment" }>>;

const quoting = (terms: Terms = {}): Command => ({
  type: "quotePayment",
  ...{
    accountId: "ann",
    paymentId: "p1",
    amount: krw(1_500),
    payAsset: "BTC",
    orderRef: "order 7",
    description: "tea",
  },
  ...{ expiresInMs: null, idempotency: null, ...terms },
});
const step = (type: "confirmPayment" | "cancelPayment", terms: object = {}): Command => ({
  ...{ type, accountId: "ann", paymentId: "p1", idempotency: null, ...terms },
});
const refunding = (amount: bigint | null, terms: object = {}): Command => ({
  ...{ type: "refundPayment", accountId: "ann", paymentId: "p1", amount, idempotency: null, ...terms },
});
const passTime = (at: number) => void give({ type: "passTime" }, at);

function paymentOf(answer: Applied | Refusal): PaymentRecord {
  if (!answer.ok || answer.kind !== "payment") throw new Error(JSON.stringify(answer, (_, v) => String(v)));
  return answer.payment;
}

/** The refusal; nothing changed. */
function refusalOf(command: Command, at = T0): Refusal {
  const before = stateText(engine);
  const refusal = refused(give(command, at));
  expect(stateText(engine)).toBe(before);
  return refusal;
}

/** Quoted, paid and settled. */
function settled(terms: Terms = {}): void {
  paymentOf(give(quoting(terms)));
  paymentOf(give(step("confirmPayment")));
  passTime(T0 + 2_000);
}

describe("a quote", () => {
  it("has the price at the market's best bid, rounded up to the asset's step, fixed for a minute", () => {
    const quote = paymentOf(give(quoting({ amount: krw(1_500) + 1n })));
    expect(quote).toEqual({
      ...{ paymentId: "p1", accountId: "ann", state: "quoted", amount: krw(1_500) + 1n, payAsset: "BTC" },
      ...{ payAmount: coins(15_001), rate: krw(1_000), orderRef: "order 7", description: "tea" },
      ...{ refunded: 0n, refundedPay: 0n, paidAt: null, settledAt: null },
      ...{ createdAt: T0, expiresAt: T0 + 60_000, updatedAt: T0 },
    });
    expect(engine.payment("ann", "p1")).toEqual(quote);
    expect(engine.payment("bob", "p1")).toBeUndefined();
  });

  it("uses the last trade's price when there is no bid", () => {
    place(engine, { accountId: "bob", side: "buy", price: krw(900), volume: coins(10_000) });
    place(engine, { accountId: "ann", side: "sell", volume: coins(10_000) });
    expect(paymentOf(give(quoting())).rate).toBe(krw(900));
    place(engine, { accountId: "ann", side: "sell", volume: coins(10_000) });
    expect(paymentOf(give(quoting({ paymentId: "p2" }))).rate).toBe(krw(900));
  });

  it("keeps its rate when the market moves", () => {
    give(quoting());
    place(engine, { accountId: "bob", side: "buy", price: krw(2_000), volume: coins(10_000) });
    expect(paymentOf(give(step("confirmPayment"))).payAmount).toBe(coins(15_000));
  });

  it("expires, and can no longer be paid", () => {
    give(quoting({ expiresInMs: 5_000 }));
    expect(refusalOf(step("confirmPayment"), T0 + 5_000).transferState).toBe("expired");
    passTime(T0 + 5_000);
    expect(engine.payment("ann", "p1")).toMatchObject({ state: "expired", updatedAt: T0 + 5_000 });
    for (const command of [step("confirmPayment"), step("cancelPayment"), refunding(null)])
      expect(refusalOf(command, T0 + 5_000).transferState).toBe("expired");
  });

  it("can be canceled once", () => {
    give(quoting());
    expect(paymentOf(give(step("cancelPayment"))).state).toBe("canceled");
    passTime(T0 + 60_000);
    expect(engine.payment("ann", "p1")?.state).toBe("canceled");
    expect(refusalOf(step("confirmPayment")).transferState).toBe("canceled");
  });

  it("is refused with what is wrong", () => {
    give(quoting());
    const wrong: readonly (readonly [Terms, string])[] = [
      [{}, "paymentId"],
      [{ paymentId: "p2", amount: 0n }, "amount"],
      [{ paymentId: "p2", payAsset: "KRW" }, "payAsset"],
      [{ paymentId: "p2", payAsset: "DOGE" }, "payAsset"],
      [{ paymentId: "p2", payAsset: "ETH" }, "payAsset"],
      [{ paymentId: "p2", expiresInMs: 999 }, "expiresInMs"],
      [{ paymentId: "p2", expiresInMs: 60_001 }, "expiresInMs"],
      [{ paymentId: "p2", accountId: "nobody" }, "accountId"],
      [{ paymentId: "p2", accountId: HOUSE.treasury }, "accountId"],
    ];
    for (const [terms, field] of wrong) expect(refusalOf(quoting(terms)).field).toBe(field);
    give({ type: "setMarketStatus", symbol: "BTC/KRW", status: "halted" });
    expect(refusalOf(quoting({ paymentId: "p2" })).code).toBe("EOrder:Market halted");
  });
});

describe("a confirmed payment", () => {
  it("takes the asset and credits the won, which can be withdrawn once they are settled", () => {
    give(quoting());
    expect(paymentOf(give(step("confirmPayment"), T0 + 1))).toMatchObject({ state: "paid", paidAt: T0 + 1 });
    expect(balance(engine, "ann", "BTC").available).toBe(COINS - coins(15_000));
    expect(balance(engine, "ann", "KRW")).toEqual({ available: WON + krw(1_500), locked: 0n, withdrawable: WON });
    passTime(T0 + 2_000);
    expect(engine.payment("ann", "p1")?.state).toBe("paid");
    passTime(T0 + 2_001);
    expect(engine.payment("ann", "p1")).toMatchObject({ state: "settled", settledAt: T0 + 2_001 });
    expect(balance(engine, "ann", "KRW").withdrawable).toBe(WON + krw(1_500));
  });

  it("conserves every asset, with won that come in for it counted as deposited", () => {
    settled();
    for (const asset of ["KRW", "BTC"]) {
      const { total, deposited } = engine.conservation(asset);
      expect(total).toBe(deposited);
    }
    expect(engine.conservation("KRW").deposited).toBe(2n * WON + krw(1_500));
    expect(balance(engine, HOUSE.treasury, "BTC").available).toBe(coins(15_000));
  });

  it("needs the asset's funds, and is not paid twice", () => {
    give(quoting({ amount: krw(2_000_000) }));
    expect(refusalOf(step("confirmPayment")).code).toBe("EOrder:Insufficient funds");
    give(quoting({ paymentId: "p2" }));
    expect(refusalOf(step("confirmPayment", { accountId: "bob", paymentId: "p2" })).field).toBe("paymentId");
    give(step("confirmPayment", { paymentId: "p2" }));
    expect(refusalOf(step("confirmPayment", { paymentId: "p2" })).transferState).toBe("paid");
    expect(refusalOf(step("cancelPayment", { paymentId: "p2" })).transferState).toBe("paid");
    expect(refusalOf(refunding(null, { paymentId: "p2" })).transferState).toBe("paid");
  });

  it("settles after a restart in between", () => {
    give(quoting());
    give(step("confirmPayment"));
    engine = restoreEngine(JSON.parse(stateText(engine)));
    expect(balance(engine, "ann", "KRW").withdrawable).toBe(WON);
    passTime(T0 + 2_000);
    expect(engine.payment("ann", "p1")?.state).toBe("settled");
    expect(balance(engine, "ann", "KRW").withdrawable).toBe(WON + krw(1_500));
  });
});

describe("a refund", () => {
  it("returns in full exactly what was paid", () => {
    settled();
    expect(paymentOf(give(refunding(null)))).toMatchObject({ state: "refunded", refundedPay: coins(15_000) });
    expect(balance(engine, "ann", "BTC").available).toBe(COINS);
    expect(balance(engine, "ann", "KRW").available).toBe(WON);
    expect(refusalOf(refunding(1n)).transferState).toBe("refunded");
  });

  it("returns in parts no more than their share, and in the end all of it", () => {
    settled({ amount: krw(1_000) });
    const third = krw(1_000) / 3n;
    // A third of a unit, rounded down to the step of a ten-thousandth.
    expect(paymentOf(give(refunding(third)))).toMatchObject({ state: "partially_refunded", refundedPay: coins(3_333) });
    expect(paymentOf(give(refunding(third))).refundedPay).toBe(coins(6_666));
    expect(paymentOf(give(refunding(null)))).toMatchObject({
      ...{ state: "refunded", refunded: krw(1_000), refundedPay: coins(10_000) },
    });
    expect(balance(engine, HOUSE.treasury, "BTC").available).toBe(0n);
  });

  it("is limited by what was paid and by what the account has", () => {
    settled();
    for (const amount of [0n, -1n, krw(1_500) + 1n]) expect(refusalOf(refunding(amount)).field).toBe("amount");
    give({ type: "withdraw", accountId: "ann", asset: "KRW", amount: WON + krw(1) });
    expect(refusalOf(refunding(krw(1_500))).code).toBe("EOrder:Insufficient funds");
    expect(give(refunding(krw(1_499))).ok).toBe(true);
  });
});

describe("payments", () => {
  it("have an event at every step", () => {
    engine.recordEvents(true);
    settled();
    give(refunding(krw(1)));
    give(refunding(null));
    give(quoting({ paymentId: "p2" }));
    give(step("cancelPayment", { paymentId: "p2" }));
    const states = engine
      .takeEvents()
      .events.flatMap((event) => (event.kind === "payment" ? [event.payment.state] : []));
    expect(states).toEqual([
      ...["quoted", "paid", "settled", "partially_refunded", "refunded"],
      ...["quoted", "canceled"],
    ]);
  });

  it("are listed newest first, by state and reference, page by page", () => {
    for (const paymentId of ["p1", "p2", "p3"]) give(quoting({ paymentId, orderRef: paymentId === "p2" ? "x" : "y" }));
    give(step("cancelPayment", { paymentId: "p3" }));
    const list = (filter: object) => {
      const { payments, more } = engine.payments("ann", { limit: 10, ...filter });
      return [...payments.map(({ paymentId }) => paymentId), more];
    };
    expect(list({})).toEqual(["p3", "p2", "p1", false]);
    expect(list({ limit: 2 })).toEqual(["p3", "p2", true]);
    expect(list({ limit: 2, beforeId: "p2" })).toEqual(["p1", false]);
    expect(list({ state: "quoted" })).toEqual(["p2", "p1", false]);
    expect(list({ orderRef: "y" })).toEqual(["p3", "p1", false]);
    expect(list({ orderRef: "y", beforeId: "p2" })).toEqual(["p1", false]);
    expect(list({ beforeId: "unknown" })).toEqual([false]);
    expect(engine.payments("bob", { limit: 10 })).toEqual({ payments: [], more: false });
  });
});

describe("an idempotency key", () => {
  const idempotency = (key: string, digest: string) => ({ idempotency: { key, digest } });

  it("gives the same request the same answer, without effect, whatever happened meanwhile", () => {
    const first = give(quoting(idempotency("i1", "a")));
    const again = quoting({ ...idempotency("i1", "a"), paymentId: "p2" });
    const paid = give(step("confirmPayment", idempotency("i2", "b")));
    passTime(T0 + 2_000);
    const before = stateText(engine);
    expect(give(again, T0 + 3_000)).toEqual(first);
    expect(give(step("confirmPayment", idempotency("i2", "b")), T0 + 3_000)).toEqual(paid);
    expect(stateText(engine)).toBe(before);
    engine = restoreEngine(JSON.parse(before));
    expect(give(again, T0 + 3_000)).toEqual(first);
    expect(give(step("confirmPayment", idempotency("i2", "b")), T0 + 3_000)).toEqual(paid);
  });

  it("is refused for another request, and is each account's own", () => {
    give(quoting(idempotency("i1", "a")));
    expect(refusalOf(quoting({ ...idempotency("i1", "b"), paymentId: "p2" })).field).toBe("Idempotency-Key");
    expect(refusalOf(step("confirmPayment", idempotency("i1", "a"))).field).toBe("Idempotency-Key");
    expect(give(quoting({ ...idempotency("i1", "b"), accountId: "bob", paymentId: "p2" })).ok).toBe(true);
  });

  it("is not used up by a refused request, and kept for good after an accepted one", () => {
    expect(refusalOf(quoting({ ...idempotency("i1", "a"), amount: 0n })).field).toBe("amount");
    expect(engine.answerTo("ann", "i1")).toBeUndefined();
    const first = give(quoting(idempotency("i1", "b")));
    const years = T0 + 5 * 365 * 86_400_000;
    expect(give(quoting({ ...idempotency("i1", "b"), paymentId: "p2" }), years)).toEqual(first);
    expect(refusalOf(quoting({ ...idempotency("i1", "c"), paymentId: "p2" })).field).toBe("Idempotency-Key");
    expect(engine.answerTo("ann", "i1")).toEqual(first);
    expect(engine.answerTo("bob", "i1")).toBeUndefined();
  });
});
