import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, HOUSE, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import {
  ACCOUNT_REJECTED,
  ACCOUNT_RETURNED,
  type Command,
  type Refusal,
  type RemittanceQuoteRecord,
  type TransferCommand,
} from "../../../../src/sandbox/model/index.ts";
import { balance, coins, krw, place, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

const WON = krw(10_000_000);
const COINS = krw(1_000);

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
  place(engine, { accountId: "bob", side: "buy", price: krw(1_000), volume: coins(10_000) });
});

const give = (command: Command, at = T0) => engine.apply(command, at);
const passTime = (at: number) => void give({ type: "passTime" }, at);
type TermsOf<T extends TransferCommand["type"]> = Partial<Extract<TransferCommand, { type: T }>>;

/** 138,000 won are 100 dollars. */
const quoting = (terms: TermsOf<"quoteRemittance"> = {}): Command => ({
  type: "quoteRemittance",
  ...{ accountId: "ann", quoteId: "q1", sourceAsset: "KRW", targetCurrency: "USD", destinationCountry: "US" },
  ...{ amount: krw(138_000), targetAmount: null, idempotency: null, ...terms },
});
const beneficiary = { name: "Kim Haneul", account: "110-234", bankCode: "021000021", country: "US" };
const creating = (terms: TermsOf<"createRemittance"> = {}): Command => ({
  type: "createRemittance",
  ...{ accountId: "ann", remittanceId: "r1", quoteId: "q1", beneficiary },
  ...{ originatorVaspId: "vasp-kr", beneficiaryVaspId: null, purposeCode: "FAMILY", idempotency: null, ...terms },
});
const canceling = (terms: object = {}): Command => ({
  ...{ type: "cancelRemittance", accountId: "ann", remittanceId: "r1", idempotency: null, ...terms },
});
const to = (account: string) => creating({ beneficiary: { ...beneficiary, account } });

function quoteOf(command: Command): RemittanceQuoteRecord {
  const answer = give(command);
  if (!answer.ok || answer.kind !== "remittanceQuote") throw new Error("no quote");
  return answer.quote;
}

/** The refusal; nothing changed. */
function refusalOf(command: Command, at = T0): Refusal {
  const before = stateText(engine);
  const refusal = refused(give(command, at));
  expect(stateText(engine)).toBe(before);
  return refusal;
}

function begin(command = creating()): void {
  expect(give(quoting()).ok).toBe(true);
  expect(give(command).ok).toBe(true);
}

const state = () => engine.remittance("ann", "r1")?.state;
const won = () => balance(engine, "ann", "KRW");
const whole = { available: WON, locked: 0n, withdrawable: WON };
const less = WON - krw(138_000);

describe("a quote", () => {
  it("has the amount that arrives, rounded down to the currency's smallest amount", () => {
    expect(quoteOf(quoting({ amount: krw(138_007) }))).toEqual({
      ...{ quoteId: "q1", accountId: "ann", sourceAsset: "KRW", sourceAmount: krw(138_007) },
      ...{ targetCurrency: "USD", targetAmount: krw(100), rate: 72_463n, destinationCountry: "US" },
      ...{ createdAt: T0, expiresAt: T0 + 60_000 },
    });
    expect(engine.remittanceQuote("ann", "q1")?.targetAmount).toBe(krw(100));
    expect(engine.remittanceQuote("bob", "q1")).toBeUndefined();
  });

  it("has the price of an amount that is to arrive, rounded up to the source's step", () => {
    const exact = { amount: null, targetAmount: krw(100) };
    expect(quoteOf(quoting(exact)).sourceAmount).toBe(krw(138_000));
    expect(quoteOf(quoting({ ...exact, quoteId: "q2", sourceAsset: "BTC" })).sourceAmount).toBe(coins(1_380_000));
    const cent = { amount: null, targetAmount: krw(1) / 100n };
    expect(quoteOf(quoting({ ...cent, quoteId: "q3" })).sourceAmount).toBe(krw(14));
    expect(quoteOf(quoting({ ...cent, quoteId: "q4", sourceAsset: "BTC" })).sourceAmount).toBe(coins(138));
  });

  it("can be used once, within a minute, by its own account", () => {
    give(quoting());
    expect(refusalOf(creating({ accountId: "bob" })).field).toBe("quoteId");
    expect(refusalOf(creating(), T0 + 60_000).field).toBe("quoteId");
    give(creating(), T0 + 59_999);
    expect(refusalOf(creating({ remittanceId: "r2" })).field).toBe("quoteId");
    give(quoting({ quoteId: "q2" }), T0 + 59_999);
    passTime(T0 + 59_999 + 60_000);
    expect(engine.remittanceQuote("ann", "q2")).toBeUndefined();
    expect(engine.snapshot().remittanceQuotes).toEqual([]);
  });

  it("is refused with what is wrong", () => {
    give(quoting());
    const wrong: readonly (readonly [TermsOf<"quoteRemittance">, string])[] = [
      [{}, "quoteId"],
      [{ quoteId: "q2", targetCurrency: "XXX" }, "targetCurrency"],
      [{ quoteId: "q2", destinationCountry: "JP" }, "destinationCountry"],
      [{ quoteId: "q2", sourceAsset: "DOGE" }, "sourceAsset"],
      [{ quoteId: "q2", amount: null }, "amount"],
      [{ quoteId: "q2", targetAmount: krw(1) }, "amount"],
      [{ quoteId: "q2", amount: 0n }, "amount"],
      [{ quoteId: "q2", amount: krw(138_000) + 1n }, "amount"],
      [{ quoteId: "q2", amount: krw(13) }, "amount"],
      [{ quoteId: "q2", amount: null, targetAmount: krw(1) / 1_000n }, "targetAmount"],
    ];
    for (const [terms, field] of wrong) expect([terms, refusalOf(quoting(terms)).field]).toEqual([terms, field]);
  });
});

describe("a remittance", () => {
  it("locks its amount, is reviewed, sent and completed by schedule; then the amount has left the exchange", () => {
    begin();
    expect(won()).toEqual({ available: less, locked: krw(138_000), withdrawable: less });
    const seen = [999, 1_000, 2_999, 3_000, 5_999, 6_000].map((ms) => {
      passTime(T0 + ms);
      return state();
    });
    expect(seen).toEqual(["created", ...["compliance_review", "compliance_review"], ...["sent", "sent"], "completed"]);
    expect(won()).toEqual({ available: less, locked: 0n, withdrawable: less });
    const { total, deposited } = engine.conservation("KRW");
    expect([total, deposited]).toEqual([2n * WON - krw(138_000), 2n * WON - krw(138_000)]);
    expect(balance(engine, HOUSE.transit, "KRW").available).toBe(0n);
  });

  it("ends after its review when it goes to the account that is rejected, with its amount released", () => {
    begin(to(ACCOUNT_REJECTED));
    passTime(T0 + 2_999);
    expect(state()).toBe("compliance_review");
    passTime(T0 + 3_000);
    expect([state(), won()]).toEqual(["rejected", whole]);
    passTime(T0 + 60_000);
    expect(state()).toBe("rejected");
  });

  it("leaves when it goes to the account that is returned, and its amount comes back", () => {
    begin(to(ACCOUNT_RETURNED));
    passTime(T0 + 3_000);
    expect([state(), won().locked, balance(engine, HOUSE.transit, "KRW").available]).toEqual([
      "sent",
      0n,
      krw(138_000),
    ]);
    passTime(T0 + 6_000);
    expect([state(), won()]).toEqual(["returned", whole]);
    expect(engine.conservation("KRW").deposited).toBe(2n * WON);
  });

  it("can be canceled until it is sent", () => {
    begin();
    expect(give(canceling()).ok).toBe(true);
    expect([state(), won()]).toEqual(["canceled", whole]);
    expect(refusalOf(canceling()).transferState).toBe("canceled");
    give(quoting({ quoteId: "q2" }));
    give(creating({ remittanceId: "r2", quoteId: "q2" }));
    passTime(T0 + 2_999);
    expect(give(canceling({ remittanceId: "r2" }), T0 + 2_999).ok).toBe(true);
    give(quoting({ quoteId: "q3" }));
    give(creating({ remittanceId: "r3", quoteId: "q3" }));
    passTime(T0 + 6_000);
    expect(refusalOf(canceling({ remittanceId: "r3" })).transferState).toBe("sent");
    expect(refusalOf(canceling({ accountId: "bob", remittanceId: "r3" })).field).toBe("remittanceId");
    expect(state()).toBe("canceled");
  });

  it("goes through all its steps at once when the exchange was stopped meanwhile", () => {
    begin();
    engine.recordEvents(true);
    passTime(T0 + 3_600_000);
    const told = engine
      .takeEvents()
      .events.flatMap((event) => (event.kind === "remittance" ? [event.remittance.state] : []));
    expect(told).toEqual(["compliance_review", "sent", "completed"]);
  });

  it("continues after a restart at any step", () => {
    begin(to(ACCOUNT_RETURNED));
    for (const ms of [0, 1_000, 3_000, 6_000]) {
      passTime(T0 + ms);
      engine = restoreEngine(JSON.parse(stateText(engine)));
    }
    expect([state(), won()]).toEqual(["returned", whole]);
  });

  it("takes withdrawable funds only", () => {
    place(engine, { accountId: "ann", side: "sell", price: krw(900), volume: coins(10_000) });
    place(engine, { accountId: "bob", side: "buy", price: krw(1_000), volume: coins(10_000) });
    const standard = { settlementMode: "STANDARD_KRW" } as const;
    const resting = { accountId: "bob", price: krw(1_000), volume: coins(10_000) };
    place(engine, { ...resting, side: "sell", price: krw(1_100) });
    const bought = place(engine, { accountId: "ann", side: "buy", volume: coins(10_000), ...standard });
    expect(bought.state).toBe("filled");
    const { available, withdrawable } = balance(engine, "ann", "BTC");
    expect(available - withdrawable).toBe(coins(10_000));
    give(quoting({ sourceAsset: "BTC", amount: withdrawable + coins(1) }));
    expect(refusalOf(creating()).code).toBe("EOrder:Insufficient funds");
    give(quoting({ quoteId: "q2", sourceAsset: "BTC", amount: withdrawable }));
    expect(give(creating({ quoteId: "q2" })).ok).toBe(true);
    expect(COINS > withdrawable).toBe(true);
  });

  it("requires the travel-rule data, and the country of its quote", () => {
    give(quoting());
    const missing = creating({ beneficiary: { ...beneficiary, name: " ", bankCode: "" }, purposeCode: "" });
    expect(refusalOf(missing)).toMatchObject({
      code: "ECompliance:Missing travel-rule metadata",
      message: "beneficiary.name, beneficiary.bank_code, purpose_code",
    });
    expect(refusalOf(creating({ beneficiary: { ...beneficiary, country: "JP" } })).field).toBe("beneficiary.country");
  });

  it("is created once for an idempotency key", () => {
    const idempotency = { key: "i", digest: "d" };
    give(quoting());
    const first = give(creating({ idempotency }));
    passTime(T0 + 6_000);
    const before = stateText(engine);
    expect(give(creating({ idempotency, remittanceId: "r2" }), T0 + 6_000)).toEqual(first);
    expect(stateText(engine)).toBe(before);
    expect(engine.remittances("ann", { limit: 10 }).remittances).toHaveLength(1);
  });

  it("does not fund a payment while it is in transit", () => {
    begin();
    passTime(T0 + 3_000);
    const paying = { accountId: "ann", paymentId: "p1", idempotency: null } as const;
    give({
      ...{ ...paying, type: "quotePayment", amount: krw(1_000), payAsset: "BTC", orderRef: "o" },
      ...{ description: null, expiresInMs: null },
    });
    expect(give({ ...paying, type: "confirmPayment" }, T0 + 3_001).ok).toBe(true);
    passTime(T0 + 6_000);
    expect(state()).toBe("completed");
  });
});
