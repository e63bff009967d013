import { beforeEach, describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { approvalDigest } from "../../../src/desk/approval/approval-digest.ts";
import type { IntentBody, OrderRequest, Policy, WriteReport } from "../../../src/desk/index.ts";
import { has, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { approveShown, sealShown } from "../../fixture/person.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const CONFIRM: Policy = { ...LOOSE, mode: "confirm" };
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

let world: World;
let policy: ChangeablePolicy;
let seat: Seat;
openWorldPerTest({}, (opened) => {
  world = opened;
  policy = changeablePolicy(CONFIRM);
});
const newSeat = () => world.seat({ policy });
beforeEach(async () => {
  seat = await newSeat();
});
const set = (change: Partial<Policy>) => {
  policy.value = ok({ ...CONFIRM, ...change });
};

/** An order that waits for a person. */
async function asked(
  request: Partial<OrderRequest> = {},
): Promise<{ id: string; userref: string; report: WriteReport }> {
  const report = await seat.desk.place({ ...order, ...request });
  expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
  return { id: report.intent_id ?? "", userref: report.userref ?? "", report };
}
const stored = (id: string) => unwrap(world.store.journal.byId(id));
const digestOf = async (id: string) => {
  const waiting = await seat.desk.pending();
  return waiting.ok ? waiting.value.pending.find(({ intent_id }) => intent_id === id)?.digest : undefined;
};
const stateOf = async (id: string) => (await stored(id))?.state;
const sent = () => world.proxy.deliveries(ORDER_POST);

/** Nothing has left, and the order still waits for a person. */
async function expectWaiting(id: string, report: WriteReport, code: string): Promise<void> {
  expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval", intent_id: id, error: { code } });
  expect(await stateOf(id)).toBe("awaiting_approval");
  expect(world.proxy.log.filter(({ method }) => method === "POST")).toEqual([]);
}

describe("an order that the policy asks a person about", () => {
  it("is put where a person finds it, with what it is and counts for, and nothing is sent", async () => {
    const { id, report } = await asked({ userref: "it" });
    const { approval } = report;
    expect(approval).toMatchObject({
      intent_id: id,
      userref: "it",
      value: "100000",
      price_seen: null,
      order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "100000000", userref: "it" },
    });
    expect(report.next_action).toContain(`hoga approve ${id}`);
    expect(report.error).toBeUndefined();
    expect(await seat.desk.pending()).toMatchObject({ ok: true, value: { pending: [approval], account: "paper" } });
    const summary = "buy 0.001 BTC on BTC/KRW at ₩100,000,000";
    expect((await seat.desk.status()).waiting).toEqual([
      { intent_id: id, userref: "it", summary, expires_at: approval?.expires_at },
    ]);
    expect(world.proxy.log.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("does not wait any more when its time is over, whoever looks first", async () => {
    const over = async (look: (userref: string) => Promise<unknown>) => {
      world.clock.skewMs = 0;
      const { userref } = await asked();
      world.clock.skewMs = 10 * 60_000;
      return look(userref);
    };
    const ended = { state: "not_placed" };
    expect(await over((userref) => seat.desk.order({ userref }))).toMatchObject({ value: ended });
    expect(await over((userref) => seat.desk.place({ ...order, userref }))).toMatchObject({
      outcome: "not_sent",
      ...ended,
    });
    expect(await over(() => seat.desk.status())).toMatchObject({ waiting: [] });
    world.clock.skewMs = 0;
    const { id } = await asked();
    world.clock.skewMs = 10 * 60_000;
    world.proxy.down(true);
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", ...ended });
    world.proxy.down(false);
    expect(sent()).toBe(0);
  });

  it("waits in a line that a person can read: the thirty-first is refused until one of them ends", async () => {
    const first = await asked();
    for (let index = 1; index < 30; index++) await asked({ base_volume: `0.00${100 + index}` });
    const refused = await seat.desk.place({ ...order, base_volume: "0.002", userref: "more" });
    expect(refused).toMatchObject({ outcome: "not_sent", state: "denied", error: { code: "ELocal:Not approved" } });
    await seat.desk.deny(first.id);
    await asked({ base_volume: "0.002", userref: "more" });
    expect(sent()).toBe(0);
  });

  it("is placed once by a yes, and a second yes places nothing", async () => {
    const { id } = await asked();
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "accepted", state: "open", intent_id: id });
    expect((await stored(id))?.body.approval).toMatchObject({ approvedBy: "pin" });
    const again = await approveShown(seat.desk, id);
    expect(again).toMatchObject({ outcome: "accepted", state: "open", intent_id: id });
    expect(again.warnings.join()).toContain("nothing was sent now");
    expect(sent()).toBe(1);
    expect(world.orders()).toHaveLength(1);
    expect(await seat.desk.pending()).toMatchObject({ value: { pending: [] } });
  });

  it.each(["deny", "expire", "withdraw"] as const)("is not placed by a yes after: %s", async (how) => {
    const { id, userref } = await asked();
    if (how === "deny")
      expect(await seat.desk.deny(id)).toMatchObject({ value: { outcome: "not_sent", state: "denied" } });
    if (how === "withdraw") {
      const report = await seat.desk.cancel({ userref });
      expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed", intent_id: id });
      expect(report.error).toBeUndefined();
    }
    if (how === "expire") {
      world.clock.skewMs = CONFIRM.approvalTtlMs + 1_000;
      await seat.desk.upkeep();
    }
    expect(await stateOf(id)).toBe(how === "deny" ? "denied" : "lapsed");
    const late = await approveShown(seat.desk, id);
    expect(late).toMatchObject({ outcome: "not_sent", state: how === "deny" ? "denied" : "not_placed" });
    expect(await seat.desk.deny(id)).toMatchObject({ value: { outcome: "not_sent" } });
    expect(sent()).toBe(0);
    expect(await seat.desk.pending()).toMatchObject({ value: { pending: [] } });
  });

  it("lapses when the yes comes after its time, though nobody has cleared it away", async () => {
    const { id } = await asked();
    world.clock.skewMs = CONFIRM.approvalTtlMs + 1_000;
    expect(await approveShown(seat.desk, id)).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      error: { code: "ELocal:Not approved" },
    });
    expect(await stateOf(id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });

  it("is the one that waits already when it is asked for again, unless it differs in any field", async () => {
    const { id } = await asked();
    const again = await seat.desk.place({ ...order, base_volume: "0.00100" });
    expect(again).toMatchObject({ state: "awaiting_approval", intent_id: id });
    expect(again.warnings.join()).toContain("no second one was made");
    const others = [
      { price: "100001000" },
      { base_volume: "0.002" },
      { time_in_force: "IOC" },
      { post_only: true },
    ] as const;
    const ids = new Set([id]);
    for (const other of others) ids.add((await asked(other)).id);
    expect(ids.size).toBe(others.length + 1);
  });

  it("is not asked about below the limit of what flows without a person", async () => {
    set({ mode: "bounded" });
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(await seat.desk.preview(order)).toMatchObject({ ok: true, value: { policy: { verdict: "allowed" } } });
    set({});
    const preview = await seat.desk.preview(order);
    expect(preview).toMatchObject({
      ok: true,
      value: { valid: true, policy: { verdict: "needs_approval", value: "100000" } },
    });
    expect(sent()).toBe(1);
  });

  it("cannot be approved when nobody knows of it", async () => {
    set({ mode: "bounded" });
    const flown = await seat.desk.place(order);
    for (const id of ["01999f3e-7a10-7c31-9a52-0c6d5b1f2a77", flown.intent_id ?? "", ""])
      expect(await approveShown(seat.desk, id)).toMatchObject({ error: { code: "ELocal:Unknown order" } });
    expect(sent()).toBe(1);
  });
});

describe("a market that moves while an order waits", () => {
  const at = async (bid: string, then: string) => {
    world.rest("buy", bid, "1");
    world.rest("sell", "150000000", "1");
    const { id, report } = await asked();
    expect(report.approval?.price_seen).toBe("149000000");
    world.rest("buy", then, "1");
    return { id, report: await approveShown(seat.desk, id) };
  };

  it.each(["148000000", "149000000", "149490000"])(
    "lets the yes stand when it moves by no more than approval_drift (%s)",
    async (bid) => {
      expect((await at("148000000", bid)).report).toMatchObject({ outcome: "accepted", state: "open" });
    },
  );

  it.each(["149491000", "149990000"])("further lets it lapse (%s)", async (bid) => {
    const { id, report } = await at("148000000", bid);
    expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed", error: { code: "ELocal:Not approved" } });
    expect(report.error?.message).toContain("approval_drift_pct");
    expect(await stateOf(id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });

  describe.each(["gone", "thin"] as const)("whose best prices are %s", (how) => {
    it.runIf(has("both_sizes")).each([
      ["buy", { base_volume: "1" }],
      ["sell", { base_volume: "1" }],
      ["buy", { quote_amount: "10000000" }],
      ["sell", { quote_amount: "10000000" }],
    ] as const)("lets a market %s lapse, though the middle is the same (%j)", async (side, size) => {
      const makers = [world.rest("buy", "99900000", "2"), world.rest("sell", "100100000", "2")];
      set({ priceCollar: "off", maxSlippage: "off" });
      const report = await seat.desk.place({ symbol: "BTC/KRW", side, type: "market", ...size });
      const id = report.intent_id ?? "";
      expect(report.approval?.price_seen).toBe(side === "buy" ? "100100000" : "99900000");
      for (const maker of makers) world.withdraw(maker);
      world.rest("buy", "60000000", "2");
      world.rest("sell", "140000000", "2");
      if (how === "thin") {
        world.rest("buy", "99900000", "0.001");
        world.rest("sell", "100100000", "0.001");
      }
      expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", state: "not_placed" });
      expect(await stateOf(id)).toBe("lapsed");
      expect(sent()).toBe(0);
    });
  });

  it("out of nothing or into nothing lets it lapse", async () => {
    const { id } = await asked();
    world.rest("sell", "150000000", "1");
    await approveShown(seat.desk, id);
    expect(await stateOf(id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });
});

describe("a rule that changes while an order waits", () => {
  it("holds back a yes, leaves it waiting, and lets it through when it changes back", async () => {
    const { id } = await asked();
    const approve = () => approveShown(seat.desk, id);
    set({ mode: "read-only" });
    await expectWaiting(id, await approve(), "ELocal:Denied by policy");
    set({ approveBy: ["client"] });
    await expectWaiting(id, await approve(), "ELocal:Not approved");
    set({ markets: ["ETH/KRW"] });
    await expectWaiting(id, await approve(), "ELocal:Denied by policy");
    set({ maxOpenOrders: 0 });
    await expectWaiting(id, await approve(), "ELocal:Denied by policy");
    policy.value = failed(localFault("ELocal:Store unavailable"));
    await expectWaiting(id, await approve(), "ELocal:Store unavailable");
    set({});
    // Another process has halted, and has not come to what waits yet.
    await unwrap(world.store.killSwitch.engage({ reason: "a test", by: "test", atMs: Date.now() }));
    await expectWaiting(id, await approve(), "ELocal:Trading halted");
    await seat.desk.resume("test");
    world.proxy.down(true);
    expect(await approve()).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    world.proxy.down(false);
    expect(await approve()).toMatchObject({ outcome: "accepted" });
    expect(sent()).toBe(1);
  });

  it("counts between the yes and the sending as well, and uses the yes up", async () => {
    const { id } = await asked();
    const yes = seat.stallBefore("advance");
    const approving = approveShown(seat.desk, id);
    await yes.reached;
    const numbered = seat.stallBefore("advance");
    yes.goOn();
    await numbered.reached;
    set({ mode: "read-only" });
    numbered.goOn();
    expect(await approving).toMatchObject({ outcome: "not_sent", state: "denied", error: { rule: "mode" } });
    set({});
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(sent()).toBe(0);
  });
});

/** Rewrites the row of a waiting intent, as somebody with the store in hand could. */
async function tamper(id: string, edit: (body: IntentBody) => IntentBody): Promise<void> {
  const intent = await stored(id);
  if (intent === undefined) throw new Error("no such intent");
  const change = { from: ["awaiting_approval"], to: "awaiting_approval", body: edit(intent.body) } as const;
  expect(await unwrap(world.store.journal.advance(id, change, Date.now()))).toBeDefined();
}

const edits: readonly [string, (body: IntentBody) => IntentBody][] = [
  ...Object.entries({
    symbol: "ETH/KRW",
    side: "sell",
    type: "market",
    volume: "0.002",
    amount: "5000",
    price: "100001000",
    time_in_force: "IOC",
    post_only: true,
    userref: "other",
    compliance: { purpose: "trade" },
  }).map(([field, value]): [string, (body: IntentBody) => IntentBody] => [
    `order.${field}`,
    (body) => ({ ...body, order: { ...body.order, [field]: value } as IntentBody["order"] }),
  ]),
  ["environment", (body) => ({ ...body, environment: "live" })],
  ["keyId", (body) => ({ ...body, keyId: "another" })],
  ...Object.entries({ priceSeen: "1", value: "1", expiresAtMs: 9e15 }).map(
    ([field, value]): [string, (body: IntentBody) => IntentBody] => [
      `approval.${field}`,
      (body) => ({ ...body, approval: { ...body.approval, [field]: value } as NonNullable<IntentBody["approval"]> }),
    ],
  ),
];

describe("what was asked about and what would be sent", () => {
  it.each(edits)("are compared: a yes to an order edited since in %s sends nothing", async (_field, edit) => {
    const { id } = await asked();
    const read = (await digestOf(id)) ?? "";
    await tamper(id, edit);
    expect(await seat.desk.approve(id, "pin", read)).toMatchObject({
      outcome: "not_sent",
      error: { code: "ELocal:Approval mismatch" },
    });
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });
});

describe("an answer that comes back through the client", () => {
  const sealed = async (request: Partial<OrderRequest> = {}) => {
    const { id, userref } = await asked(request);
    const seal = await sealShown(seat.desk, id);
    if (!seal.ok) throw new Error(seal.fault.message);
    return { id, userref, seal: seal.value };
  };
  const mismatch = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Approval mismatch" } } as const;

  it("places the order with the seal and the arguments of its question, once", async () => {
    const { id, seal } = await sealed();
    const answer = { seal, said: "yes" as const, request: order };
    expect(await seat.desk.answerApproval(answer)).toMatchObject({ outcome: "accepted", intent_id: id });
    expect((await stored(id))?.body.approval?.approvedBy).toBe("client");
    const replayed = await seat.desk.answerApproval(answer);
    expect(replayed.warnings.join()).toContain("nothing was sent now");
    await seat.desk.cancel({ userref: replayed.userref ?? "" });
    expect(await seat.desk.answerApproval(answer)).toMatchObject({ state: "canceled" });
    expect(sent()).toBe(1);
  });

  it("is none to a question that sends the person to the console's page, whatever it says", async () => {
    const { id } = await asked();
    const seal = await sealShown(seat.desk, id, order, undefined, "page");
    if (!seal.ok) throw new Error(seal.fault.message);
    for (const said of ["yes", "no", "dismissed"] as const) {
      const report = await seat.desk.answerApproval({ seal: seal.value, said, request: order });
      expect(report).toMatchObject({ state: "awaiting_approval", intent_id: id, warnings: [] });
    }
    expect(sent()).toBe(0);
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "accepted" });
    const after = { seal: seal.value, said: "yes" as const, request: order };
    expect(await seat.desk.answerApproval(after)).toMatchObject({ outcome: "accepted", intent_id: id });
    expect(sent()).toBe(1);
  });

  it("places the order of a draft that was asked about", async () => {
    const preview = await seat.desk.preview(order);
    const draft = { draft_id: (preview.ok && preview.value.draft_id) || "" };
    const waiting = await seat.desk.place(draft);
    const seal = await sealShown(seat.desk, waiting.intent_id ?? "");
    const answer = { seal: seal.ok ? seal.value : "", said: "yes" as const };
    const other = await seat.desk.preview({ ...order, base_volume: "0.002" });
    const otherDraft = { draft_id: (other.ok && other.value.draft_id) || "" };
    expect(await seat.desk.answerApproval({ ...answer, request: otherDraft })).toMatchObject(mismatch);
    expect(await seat.desk.answerApproval({ ...answer, request: { draft_id: "none" } })).toMatchObject(mismatch);
    expect(await seat.desk.answerApproval({ ...answer, request: draft })).toMatchObject({ outcome: "accepted" });
    expect(sent()).toBe(1);
  });

  it("places nothing when it has no seal of its question, or one from elsewhere", async () => {
    const { id, seal } = await sealed();
    const [text = "", mac = ""] = seal.split(".");
    const elsewhere = await openWorld();
    const foreign = await unwrap(elsewhere.store.seal.sign(Buffer.from(text, "base64url").toString()));
    await elsewhere.close();
    const named = (intentId: string, digest: string) =>
      Buffer.from(JSON.stringify({ order: intentId, digest })).toString("base64url");
    const forged = [
      "",
      ".",
      text,
      `${text}.`,
      `${text}.${mac.slice(0, -2)}${mac.endsWith("AA") ? "QA" : "AA"}`,
      `${named(id, "")}.${mac}`,
      foreign,
      `${seal}A`,
      "null.null",
    ];
    for (const each of forged)
      expect(await seat.desk.answerApproval({ seal: each, said: "yes", request: order })).toMatchObject(mismatch);
    // The seal of one question is no answer to another.
    const other = await asked({ base_volume: "0.002" });
    const otherSeal = await sealShown(seat.desk, other.id);
    expect(
      await seat.desk.answerApproval({ seal: otherSeal.ok ? otherSeal.value : "", said: "yes", request: order }),
    ).toMatchObject(mismatch);
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(await stateOf(other.id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });

  it("places nothing when its arguments were edited in any field", async () => {
    const { id, seal } = await sealed({ userref: "mine" });
    const edited: readonly Partial<Record<keyof OrderRequest, unknown>>[] = [
      { symbol: "ETH/KRW", price: "3000000", base_volume: "0.01" },
      { side: "sell" },
      { type: "market", price: undefined },
      { type: "market", price: undefined, base_volume: undefined, quote_amount: "100000" },
      { base_volume: "0.002" },
      { price: "100001000" },
      { time_in_force: "IOC" },
      { time_in_force: "GTC" },
      { post_only: true },
      { post_only: false },
      { userref: "yours" },
      { compliance: { purpose: "trade" } },
    ];
    for (const edit of edited) {
      const request = Object.fromEntries(
        Object.entries({ ...order, userref: "mine", ...edit }).filter(([, value]) => value !== undefined),
      ) as unknown as OrderRequest;
      expect(await seat.desk.answerApproval({ seal, said: "yes", request })).toMatchObject(mismatch);
    }
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
    const mine = { seal, said: "yes" as const, request: { ...order, userref: "mine" } };
    expect(await seat.desk.answerApproval(mine)).toMatchObject({ outcome: "accepted" });
  });

  it("places nothing when the order was rewritten since, with a digest to match", async () => {
    const { id, seal } = await sealed();
    const account = (await stored(id))?.account ?? "";
    await tamper(id, (body) => {
      const changed = { ...body, order: { ...body.order, volume: "0.002" } };
      const terms = changed.approval as NonNullable<IntentBody["approval"]>;
      return {
        ...changed,
        approval: { ...terms, digest: approvalDigest({ intentId: id, account, body: changed }, terms) },
      };
    });
    for (const base_volume of ["0.001", "0.002"])
      expect(await seat.desk.answerApproval({ seal, said: "yes", request: { ...order, base_volume } })).toMatchObject(
        mismatch,
      );
    expect(sent()).toBe(0);
  });

  it("does not count where the policy takes none through the client", async () => {
    const { id, seal } = await sealed();
    set({ approveBy: ["pin"] });
    await expectWaiting(
      id,
      await seat.desk.answerApproval({ seal, said: "yes", request: order }),
      "ELocal:Not approved",
    );
    expect(await stateOf(id)).toBe("awaiting_approval");
  });

  it("has no seal for what does not wait", async () => {
    const { id } = await sealed();
    await seat.desk.deny(id);
    expect(await sealShown(seat.desk, id)).toMatchObject({ ok: false, fault: { code: "ELocal:Not approved" } });
    expect((await sealShown(seat.desk, "none")).ok).toBe(false);
  });
});

describe("several processes", () => {
  it("place one order when they approve at once", async () => {
    const seats = [seat, await newSeat(), await newSeat()];
    for (const userref of ["race-1", "race-2", "race-3"]) {
      const { id } = await asked({ userref });
      const reports = await Promise.all(seats.map(({ desk }) => approveShown(desk, id)));
      expect(world.orders().filter((each) => each.userref === userref)).toHaveLength(1);
      expect(reports.filter(({ outcome }) => outcome === "accepted").length).toBeGreaterThan(0);
      for (const { outcome } of reports) expect(["accepted", "unknown"]).toContain(outcome);
    }
    expect(sent()).toBe(3);
  });

  it("end as one of the two when one approves and one denies at once", async () => {
    const other = await newSeat();
    for (const userref of ["race-1", "race-2", "race-3"]) {
      const { id } = await asked({ userref });
      await Promise.all([approveShown(seat.desk, id), other.desk.deny(id)]);
      const state = await stateOf(id);
      expect(["denied", "open"]).toContain(state);
      expect(world.orders().filter((each) => each.userref === userref)).toHaveLength(state === "open" ? 1 : 0);
    }
  });

  it("do not send for one that died between the yes and the sending: the yes is used up", async () => {
    const { id, userref } = await asked({ userref: "left" });
    const read = (await digestOf(id)) ?? "";
    const yes = seat.stallBefore("advance");
    void approveShown(seat.desk, id);
    await yes.reached;
    const numbered = seat.stallBefore("advance");
    yes.goOn();
    await numbered.reached;
    seat.kill();
    expect(await stateOf(id)).toBe("approved");
    const next = await newSeat();
    expect((await approveShown(next.desk, id)).outcome).toBe("unknown");
    expect((await next.desk.place({ ...order, userref })).outcome).toBe("unknown");
    world.clock.skewMs = 40_000;
    expect(await next.desk.reconcile()).toMatchObject({ checked: 1, not_placed: 1 });
    expect((await approveShown(next.desk, id)).state).toBe("not_placed");
    expect(sent()).toBe(0);
    // Asked for anew, it needs a yes of its own, and the one to the first question is none.
    expect(await next.desk.place({ ...order, userref })).toMatchObject({ state: "awaiting_approval", intent_id: id });
    expect(await next.desk.approve(id, "pin", read)).toMatchObject({ error: { code: "ELocal:Approval mismatch" } });
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
    expect(await approveShown(next.desk, id)).toMatchObject({ outcome: "accepted" });
    expect(sent()).toBe(1);
  });
});

describe("waiting for an order that waits for a person", () => {
  it("ends with the yes, and at once with the no", async () => {
    const other = await newSeat();
    const { id, userref } = await asked();
    const waiting = seat.desk.awaitOrder({ userref, until: "placed", timeoutMs: 10_000 });
    await approveShown(other.desk, id);
    expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "open" } });
    const second = await asked({ base_volume: "0.002" });
    const inVain = seat.desk.awaitOrder({ userref: second.userref, until: "placed", timeoutMs: 10_000 });
    await other.desk.deny(second.id);
    expect(await inVain).toMatchObject({ ok: true, value: { reached: false, state: "denied" } });
    const third = await asked({ base_volume: "0.003" });
    expect(await seat.desk.awaitOrder({ userref: third.userref, until: "placed", timeoutMs: 250 })).toMatchObject({
      ok: true,
      value: { reached: false, state: "awaiting_approval", next_action: expect.stringContaining("hoga approve") },
    });
  });
});

describe("an approval that waits for its turn to be sent", () => {
  const whileItWaits = async (change: () => void): Promise<WriteReport> => {
    const { id } = await asked();
    // The move to approved is the first, the one that numbers the request the second.
    const approved = seat.stallBefore("advance");
    const report = approveShown(seat.desk, id);
    await approved.reached;
    const numbered = seat.stallBefore("advance");
    approved.goOn();
    await numbered.reached;
    change();
    numbered.goOn();
    return report;
  };

  it("runs out meanwhile: nothing is sent", async () => {
    set({ approvalTtlMs: 300_000 });
    const report = await whileItWaits(() => {
      world.clock.skewMs += 400_000;
    });
    expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed", error: { code: "ELocal:Not approved" } });
    expect(sent()).toBe(0);
  });

  it("came a way that is not taken any more: nothing is sent", async () => {
    const report = await whileItWaits(() => set({ approveBy: ["client"] }));
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Not approved" } });
    expect(sent()).toBe(0);
  });

  it("is not prolonged by a clock that is set back", async () => {
    set({ approvalTtlMs: 300_000 });
    const { id } = await asked();
    world.clock.skewMs = -3_000_000;
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", state: "not_placed" });
    const other = await asked();
    world.clock.skewMs -= 60_000;
    expect(await seat.desk.pending()).toMatchObject({ ok: true, value: { pending: [] } });
    expect(await stateOf(other.id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });
});
