/** What the check gathers and what it makes of it, over a real store; the exchange answers what each case says. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fault, failed, localFault, ok, type Result } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import { DeskContext, type DeskParts } from "../../../src/desk/core/context.ts";
import { defaultPolicy, type IntentBody, type IntentState, type Policy } from "../../../src/desk/index.ts";
import { type Assessment, denialOf, PreTradeCheck } from "../../../src/desk/risk/pre-trade-check.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { market } from "../../fixture/order-sample.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";

const NOW = 1_784_538_000_000;
const HALT = { reason: "enough", by: "kim", atMs: NOW } as const;
const USAGE = {
  usage: { day: "0", open: "0", openOrders: 0, lastMinute: 0 },
  settled: [],
  killSwitch: undefined,
};
const LOST = localFault("ELocal:No answer");
const ASKED: NonNullable<IntentBody["approval"]> = {
  digest: "",
  priceSeen: "95000000",
  value: "950000",
  unit: "KRW",
  why: "it is large",
  expiresAtMs: NOW + 60_000,
};
const body: IntentBody = {
  order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.01", price: "95000000", userref: "desk-1" },
  environment: "sandbox",
  keyId: "k",
  digest: "",
};
const approved: IntentBody = { ...body, approval: { ...ASKED, approvedBy: "pin" } };
const sell: IntentBody = { ...body, order: { ...body.order, side: "sell" } };
const none = () => [];

let store: Store<IntentState, IntentBody>;
let parts: Record<string, unknown>;
let venue: Record<string, unknown>;
let policy: Result<Policy>;
let balances: Result<unknown>;
let askedForBalances: number;

function lift(change: Partial<Policy>): Policy {
  const usual = { ...defaultPolicy("sandbox"), approvalOver: inUnit("1000000") };
  return { ...usual, ...change };
}

async function contextOf(): Promise<DeskContext> {
  const context = new DeskContext({ ...parts, venue, policy: { read: () => policy } } as unknown as DeskParts);
  await context.setAccount("paper");
  return context;
}

async function assess(given: IntentBody = body): Promise<Result<Assessment>> {
  return new PreTradeCheck(await contextOf()).assess(given);
}

async function faultOf(given: IntentBody = body): Promise<Fault | undefined> {
  const { verdict, policy } = await unwrap(assess(given));
  return denialOf(verdict, policy);
}

beforeEach(async () => {
  const clock = { now: () => NOW, sleep: async () => {} };
  store = await openStore({ memory: true }, { clock, random: () => 0 });
  parts = { journal: store.journal, killSwitch: store.killSwitch, clock };
  policy = ok(lift({}));
  balances = ok({ account_id: "paper", balances: [{ asset: "BTC", available: "1" }] });
  askedForBalances = 0;
  const tick = { buys: [["94999000", "5"]], asks: [["95001000", "5"]] };
  venue = {
    environment: "sandbox",
    markets: async () => ok([market]),
    orderbook: async () => ok({ symbol: "BTC/KRW", tick }),
    trades: async () => ok([]),
    accounts: async () => {
      askedForBalances += 1;
      return balances;
    },
    clockOffsetMs: () => 0,
  };
});

afterEach(() => {
  store.close();
});

describe("an order that is assessed", () => {
  it("is allowed with what it counts for and the price it was judged by", async () => {
    const assessment = await unwrap(assess());
    expect([assessment.verdict.kind, denialOf(assessment.verdict, assessment.policy)]).toEqual(["allow", undefined]);
    expect([assessment.countsFor, assessment.value?.toString(), assessment.price]).toEqual([
      "950000",
      "950000",
      "95000000",
    ]);
    expect(assessment.recheck(USAGE, none)).toBeUndefined();
  });

  it("is denied by a rule, in a sentence that says so and with the figures", async () => {
    policy = ok(lift({ maxOrder: inUnit("900000") }));
    const fault = await faultOf();
    expect(fault).toMatchObject({
      code: "ELocal:Denied by policy",
      rule: "order_size",
      figure: "950000",
      limit: "900000",
    });
    expect(fault?.field).toBe("base_volume");
    expect(fault?.message).toMatch(/^The order counts for ₩950,000, .*\. Nothing was sent\.$/);
  });

  it("is a question where a person has to be asked, and no longer once one has said yes", async () => {
    policy = ok(lift({ approvalOver: inUnit("1000") }));
    const fault = await faultOf();
    expect(fault?.code).toBe("ELocal:Not approved");
    expect(fault?.message).toMatch(/^A person has to approve this order: .*\. Nothing was sent\.$/);
    expect((await faultOf({ ...body, approval: ASKED }))?.code).toBe("ELocal:Not approved");
    expect(await faultOf(approved)).toBeUndefined();
  });

  it("is denied in another environment than it was made for", async () => {
    venue = { ...venue, environment: "live" };
    expect(await faultOf()).toMatchObject({ rule: "environment" });
  });

  it("is denied without a price to value it by, and counts for nothing", async () => {
    venue = { ...venue, orderbook: async () => ok({ symbol: "BTC/KRW", tick: { buys: [], asks: [] } }) };
    const { userref: _own, price: _none, ...order } = body.order;
    const assessment = await unwrap(assess({ ...body, order: { ...order, type: "market" } }));
    expect([assessment.countsFor, assessment.value]).toEqual(["0", undefined]);
    expect(denialOf(assessment.verdict, assessment.policy)).toMatchObject({ rule: "price_collar" });
  });

  it.each([
    ["policy", () => (policy = failed(LOST)), LOST.code],
    ["market", () => (venue = { ...venue, markets: async () => failed(LOST) }), LOST.code],
    ["book", () => (venue = { ...venue, orderbook: async () => failed(LOST) }), LOST.code],
    ["last trades", () => (venue = { ...venue, trades: async () => failed(LOST) }), LOST.code],
    [
      "usage of the budgets",
      () => (parts = { ...parts, journal: { ...store.journal, usage: storeBroken } }),
      "ELocal:Store unavailable",
    ],
    [
      "own orders",
      () => (parts = { ...parts, journal: { ...store.journal, openOrExecuted: storeBroken } }),
      "ELocal:Store unavailable",
    ],
  ])("is not assessed without the %s", async (_what, breakIt, code) => {
    breakIt();
    expect(await assess()).toMatchObject({ ok: false, fault: { code } });
  });
});

describe("the check in the transaction that sends", () => {
  it("counts what was used meanwhile, and stops for a halt of any process", async () => {
    const { recheck } = await unwrap(assess());
    expect(recheck({ ...USAGE, usage: { ...USAGE.usage, day: "4500000" } }, none)).toMatchObject({
      rule: "day_budget",
    });
    const halted = recheck({ ...USAGE, killSwitch: HALT }, none);
    expect(halted).toMatchObject({ code: "ELocal:Trading halted", rule: "brake", figure: "halted", limit: "running" });
    expect(halted?.message).toContain("kim");
  });

  it("stops for a halt of this process that could not be stored", async () => {
    const context = await contextOf();
    const check = new PreTradeCheck(context);
    const { recheck } = await unwrap(check.assess(body));
    context.localKillSwitch = HALT;
    expect(recheck(USAGE, none)?.code).toBe("ELocal:Trading halted");
  });

  it("goes by the policy as it is then", async () => {
    const { recheck } = await unwrap(assess());
    policy = ok(lift({ mode: "read-only" }));
    expect(recheck(USAGE, none)).toMatchObject({ rule: "mode" });
    policy = failed(LOST);
    expect(recheck(USAGE, none)).toEqual(LOST);
  });

  it("stops where the approval no longer holds, whatever else is allowed", async () => {
    const { recheck } = await unwrap(assess(approved));
    expect(recheck(USAGE, none)).toBeUndefined();
    const far = await unwrap(assess({ ...approved, approval: { ...ASKED, approvedBy: "pin", priceSeen: "90000000" } }));
    expect(far.recheck(USAGE, none)?.message).toContain("moved from ₩90,000,000 to ₩95,000,000");
    policy = ok(lift({ approveBy: [] }));
    expect(recheck(USAGE, none)?.code).toBe("ELocal:Not approved");
  });
});

describe("a sell over a limit", () => {
  beforeEach(() => {
    policy = ok(lift({ maxOrder: inUnit("900000") }));
  });

  it("is a question where the account holds what it sells", async () => {
    expect((await unwrap(assess(sell))).verdict).toMatchObject({ kind: "ask", over: ["order_size"] });
    expect(askedForBalances).toBe(1);
  });

  it("is denied where it does not, where that is not known, and where a person wants that", async () => {
    balances = ok({ account_id: "paper", balances: [{ asset: "BTC", available: "0.009" }] });
    expect(await faultOf(sell)).toMatchObject({ rule: "order_size" });
    balances = ok({ account_id: "paper", balances: [] });
    expect(await faultOf(sell)).toMatchObject({ rule: "order_size" });
    balances = failed(LOST);
    expect(await faultOf(sell)).toMatchObject({ rule: "order_size" });
    askedForBalances = 0;
    policy = ok(lift({ maxOrder: inUnit("900000"), overLimitSells: "deny" }));
    expect(await faultOf(sell)).toMatchObject({ rule: "order_size" });
    expect(askedForBalances).toBe(0);
  });

  it("asks nobody what is held of a buy, or of a sell that another rule denies", async () => {
    await faultOf(body);
    policy = ok(lift({ mode: "read-only", maxOrder: inUnit("1") }));
    await faultOf(sell);
    expect(askedForBalances).toBe(0);
  });

  it("when another sell has taken of what is held meanwhile, is stopped in spite of a yes to that limit", async () => {
    const over = { ...sell, approval: { ...ASKED, approvedBy: "pin", over: ["order_size"] } } as const;
    balances = ok({ account_id: "paper", balances: [{ asset: "BTC", available: "0.015" }] });
    const { recheck } = await unwrap(assess(over));
    expect(recheck(USAGE, none)).toBeUndefined();
    const other = { body: sell } as never;
    expect(recheck(USAGE, () => [other])).toMatchObject({ rule: "order_size" });
  });
});

describe("whether trading is halted", () => {
  it("is what the store says, and this process where it cannot", async () => {
    const context = await contextOf();
    const check = new PreTradeCheck(context);
    expect(await check.haltFault()).toBeUndefined();
    await unwrap(store.killSwitch.engage(HALT));
    expect(await check.haltFault()).toMatchObject({ code: "ELocal:Trading halted", rule: "brake" });
    await unwrap(store.killSwitch.release());
    context.localKillSwitch = HALT;
    expect((await check.haltFault())?.code).toBe("ELocal:Trading halted");
    parts = { ...parts, killSwitch: { state: storeBroken } };
    const blind = await contextOf();
    expect(await new PreTradeCheck(blind).haltFault()).toBeUndefined();
    blind.localKillSwitch = HALT;
    expect((await new PreTradeCheck(blind).haltFault())?.code).toBe("ELocal:Trading halted");
  });
});
