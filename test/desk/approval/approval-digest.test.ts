import { describe, expect, it } from "vitest";
import type { BookLevel, CreateOrderBody, Fault } from "../../../src/contract/index.ts";
import { inUnit, rate } from "../../../src/decimal/index.ts";
import { approvalDigest, matchesDigest } from "../../../src/desk/approval/approval-digest.ts";
import { approvalLapse, hasExpired } from "../../../src/desk/approval/approval-validity.ts";
import type { ApprovalTerms, IntentRecord, Policy } from "../../../src/desk/index.ts";
import { defaultPolicy } from "../../../src/desk/index.ts";
import { snapshotPrice } from "../../../src/desk/market/order-value.ts";
import { denialOf } from "../../../src/desk/risk/pre-trade-check.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { BTC, bookOf } from "../risk/policy-question.ts";

const ASKED_MS = 1_784_538_000_000;
const EXPIRES_MS = ASKED_MS + 300_000;
const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "100000000" } as const;
const TERMS: ApprovalTerms = {
  digest: "as recorded",
  priceSeen: "100",
  value: "100000",
  unit: "KRW",
  why: "mode is confirm",
  askedAtMs: ASKED_MS,
  expiresAtMs: EXPIRES_MS,
};
const INTENT: IntentRecord = {
  intentId: "i-1",
  account: "paper",
  userref: "u-1",
  state: "awaiting_approval",
  nonce: null,
  orderId: null,
  body: { order, environment: "sandbox", keyId: "k-1", digest: "of the order", approval: TERMS },
  createdAtMs: ASKED_MS,
  updatedAtMs: ASKED_MS,
  held: "0",
  isLive: false,
  unit: "KRW",
  sentAtMs: null,
};
const COSTS = { taker_fee: "0", maker_fee: "40", total: "100040", proceeds: null, fee_currency: "KRW" } as const;
const POLICY: Policy = defaultPolicy("live", { approvalDrift: rate("0.01") });

describe("what a person approves", () => {
  const asked = approvalDigest(INTENT, TERMS);
  const body = (change: Partial<IntentRecord["body"]>) => ({ ...INTENT, body: { ...INTENT.body, ...change } });
  const others: readonly [string, IntentRecord][] = [
    ["intent", { ...INTENT, intentId: "i-2" }],
    ["account", { ...INTENT, account: "another" }],
    ["order", body({ order: { ...order, volume: "0.002" } })],
    ["environment", body({ environment: "live" })],
    ["key", body({ keyId: "k-2" })],
    ["price seen", body({ approval: { ...TERMS, priceSeen: null } })],
    ["value", body({ approval: { ...TERMS, value: "100001" } })],
    ["fee", body({ approval: { ...TERMS, costs: COSTS } })],
    ["warning", body({ approval: { ...TERMS, warnings: ["thin"] } })],
    ["limits it goes over", body({ approval: { ...TERMS, over: ["day_budget"] } })],
    ["time of asking", body({ approval: { ...TERMS, askedAtMs: ASKED_MS - 1 } })],
    ["expiry", body({ approval: { ...TERMS, expiresAtMs: EXPIRES_MS + 1 } })],
  ];

  it("is, of a change, the old order and the new one at its largest, whatever becomes of them after the yes", () => {
    const replaces = {
      orderId: "o-1",
      userref: null,
      asked: { price: "100000000" },
      price: "99000000",
      executedVolume: "0",
      openVolume: "0.001",
      volume: "0.001",
    };
    const change = body({ replaces });
    const digest = approvalDigest(change, TERMS);
    expect(digest).not.toBe(asked);
    const before = [
      { ...replaces, orderId: "o-2" },
      { ...replaces, price: "98000000" },
      { ...replaces, volume: "0.002" },
    ];
    for (const other of before) expect(matchesDigest(body({ replaces: other }), digest)).toBe(false);
    const ended = { state: "canceled", executedVolume: "0.0004" } as const;
    const sent = body({ order: { ...order, volume: "0.0006" }, replaces: { ...replaces, ended } });
    expect(matchesDigest(sent, digest)).toBe(true);
  });

  it("is named by one digest, which only this intent as it stands has", () => {
    expect(asked).toMatch(/^[0-9a-f]{64}$/);
    expect(matchesDigest(INTENT, asked)).toBe(true);
    expect(matchesDigest(INTENT, TERMS.digest)).toBe(false);
    const { approval: _none, ...bare } = INTENT.body;
    expect(matchesDigest({ ...INTENT, body: bare }, asked)).toBe(false);
  });

  it("has the digest that it had where no costs were kept, as the log is checked by it", () => {
    expect(asked).toBe("5ba97d1ef68890d748881302a6bb4b2e0417b052104e97f727dd3a532d20a75d");
  });

  it.each(others)("is another thing with another %s", (_, other) => {
    expect(matchesDigest(other, asked)).toBe(false);
  });
});

describe("the time of a question", () => {
  it("is over after its last millisecond", () => {
    for (const nowMs of [ASKED_MS, EXPIRES_MS]) expect(hasExpired(TERMS, nowMs)).toBe(false);
    expect(hasExpired(TERMS, EXPIRES_MS + 1)).toBe(true);
  });

  it("is over where the clock was set back by more than ten seconds, as far as it is known when it was asked", () => {
    expect(hasExpired(TERMS, ASKED_MS - 10_000)).toBe(false);
    expect(hasExpired(TERMS, ASKED_MS - 10_001)).toBe(true);
    const { askedAtMs: _unknown, ...old } = TERMS;
    expect(hasExpired(old, ASKED_MS - 10_001)).toBe(false);
  });
});

describe("the price seen", () => {
  const market = { symbol: "BTC/KRW", side: "buy", type: "market", volume: "0.001" } as const;
  const of = (asked: CreateOrderBody, ...book: Parameters<typeof bookOf>) => snapshotPrice(BTC, asked, bookOf(...book));

  it("is the middle, with no more decimals than a price may have, or the one side", () => {
    const [bid, ask]: [BookLevel, BookLevel] = [
      ["0.00000098", "1"],
      ["0.00000099", "1"],
    ];
    expect(of(order, [bid], [ask])).toBe("0.00000098");
    expect(of(order, [["100", "1"]], [["103", "1"]])).toBe("101.5");
    expect([of(order, [bid], []), of(order, [], [ask]), of(order, [], [])]).toEqual([bid[0], ask[0], null]);
  });

  it("when the order is a market order, averages what it would trade at", () => {
    const sides = [
      [
        ["100", "0.0005"],
        ["98", "1"],
      ],
      [
        ["103", "0.0005"],
        ["105", "1"],
      ],
    ] as [BookLevel[], BookLevel[]];
    expect(of(market, ...sides)).toBe("104");
    expect(of({ ...market, side: "sell" }, ...sides)).toBe("99");
    expect(of(market, sides[0], [])).toBeNull();
  });
});

describe("a yes", () => {
  const lapse = (terms: Partial<ApprovalTerms>, now: string | null, nowMs = ASKED_MS) =>
    approvalLapse({ ...TERMS, ...terms }, POLICY, seen(now), nowMs);
  const seen = (priceSeen: string | null, value = TERMS.value) => ({ price: priceSeen, value: inUnit(value) });
  const said = (fault: Fault | undefined) => ({ code: fault?.code, message: fault?.message });
  const refused = (why: string) => ({ code: "ELocal:Not approved", message: `${why} Nothing was sent.` });

  it("stands while it has time and the price is within approval_drift_pct, up and down", () => {
    for (const now of ["99", "100", "101"]) expect(lapse({}, now, EXPIRES_MS)).toBeUndefined();
    expect(lapse({ priceSeen: null }, null)).toBeUndefined();
  });

  it.each(["98.99999999", "101.00000001"])("lapses when the price has moved to %s, further than that", (now) => {
    expect(said(lapse({}, now))).toEqual(
      refused(`The market has moved from ₩100 to ₩${now} since it was asked for, more than approval_drift_pct allows.`),
    );
  });

  it("stands while what it counts for is within that too, or falls, and lapses when it grows further", () => {
    const now = (value: string) => approvalLapse(TERMS, POLICY, seen("100", value), ASKED_MS);
    for (const value of ["1", "100000", "101001"]) expect(now(value)).toBeUndefined();
    expect(said(now("101002"))).toEqual(
      refused(
        "It counts for ₩101,002 now and did for ₩100,000 when it was asked for: it has grown by more than approval_drift_pct allows.",
      ),
    );
    expect(approvalLapse(TERMS, POLICY, { price: "100", value: undefined }, ASKED_MS)).toBeUndefined();
  });

  it("lapses when there is a price now and there was none, or the other way round", () => {
    const moved = refused("The market has moved since it was asked for.");
    expect([said(lapse({ priceSeen: null }, "100")), said(lapse({}, null))]).toEqual([moved, moved]);
  });

  it("lapses when its time is over, and says how to go on", () => {
    const late = lapse({}, "100", EXPIRES_MS + 1);
    expect(said(late)).toEqual(refused("The approval has expired."));
    expect(late?.nextAction).toBe("If it is still wanted, ask for it anew, without a userref or with another one.");
  });

  it("lapses when the way it came is not taken any more", () => {
    const [byPin, byClient] = [{ approvedBy: "pin" }, { approvedBy: "client" }] as const;
    const policy: Policy = { ...POLICY, approveBy: ["client"] };
    expect(said(approvalLapse({ ...TERMS, ...byPin }, policy, seen("100"), ASKED_MS))).toEqual(
      refused("The policy does not take approval by pin any more (approve_by)."),
    );
    expect(approvalLapse({ ...TERMS, ...byClient }, policy, seen("100"), ASKED_MS)).toBeUndefined();
    expect(lapse(byPin, "100")).toBeUndefined();
  });
});

describe("a verdict", () => {
  it("when it is yes, gives no fault", () => {
    expect(denialOf({ kind: "allow" }, LOOSE)).toBeUndefined();
  });

  it("when it is a question, says that a person has to approve, and why", () => {
    expect(
      denialOf({ kind: "ask", why: "mode is confirm: a person approves every order", over: [] }, LOOSE),
    ).toMatchObject({
      code: "ELocal:Not approved",
      message: "A person has to approve this order: mode is confirm: a person approves every order. Nothing was sent.",
    });
  });

  it("when it is no, tells rule, figure and limit as data, and the message as a sentence", () => {
    const refusal = { rule: "order_size", figure: "7", limit: "5", message: "too large: make it smaller" } as const;
    const fault = denialOf({ kind: "deny", denial: refusal }, LOOSE);
    expect(fault).toMatchObject({
      code: "ELocal:Denied by policy",
      message: "Too large: make it smaller. Nothing was sent.",
      rule: "order_size",
      figure: "7",
      limit: "5",
    });
    expect(fault).not.toHaveProperty("field");
    expect(denialOf({ kind: "deny", denial: { ...refusal, field: "price" } }, LOOSE)).toMatchObject({ field: "price" });
  });

  it("when the kill switch says no, says that trading is halted", () => {
    const refusal = { rule: "brake", figure: "halted", limit: "running", message: "trading was halted" } as const;
    expect(denialOf({ kind: "deny", denial: refusal }, LOOSE)?.code).toBe("ELocal:Trading halted");
  });
});
