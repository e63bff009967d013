/**
 * Answers that are lost, and processes that die, while money is on its way: at most one movement at the exchange ever comes of one
 * wish, and what is shown in the end is what the exchange has.
 */
import { describe, expect, it } from "vitest";
import type { TransferRequest } from "../../../src/desk/index.ts";
import type { FaultKind } from "../../fixture/fault-proxy.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  type CrashPoint,
  meeting,
  quotePayment,
  quoteRemittance,
  seat,
  send,
  sentRemittance,
  settledPayment,
  TRAVEL,
  transferWorldPerTest,
  world,
} from "./transfer-world.ts";

transferWorldPerTest();

const KINDS = ["confirm_payment", "refund_payment", "send_remittance", "cancel_remittance"] as const;
type Kind = (typeof KINDS)[number];
const PATHS: Readonly<Record<Kind, RegExp>> = {
  confirm_payment: /^POST .*\/confirm$/,
  refund_payment: /^POST .*\/refund$/,
  send_remittance: /^POST \/v0.1\/remittances$/,
  cancel_remittance: /^POST .*\/cancel$/,
};
const DONE: Readonly<Record<Kind, string>> = {
  confirm_payment: "paid",
  refund_payment: "partially_refunded",
  send_remittance: "created",
  cancel_remittance: "canceled",
};

/** Everything up to the movement itself. */
async function prepared(kind: Kind): Promise<TransferRequest> {
  switch (kind) {
    case "confirm_payment":
      return { kind, payment_id: await quotePayment(seat) };
    case "refund_payment":
      return { kind, payment_id: await settledPayment(world, seat), amount: "20000" };
    case "send_remittance":
      return { kind, quote_id: await quoteRemittance(seat), ...TRAVEL };
    case "cancel_remittance":
      return { kind, remittance_id: await sentRemittance(seat) };
    default:
      return kind satisfies never;
  }
}

/** How often the exchange has really done it, by its own records and not by anybody's answers. */
function movements(kind: Kind): number {
  const { exchange, accountId } = world.sandbox;
  const { payments } = exchange.payments(accountId, { limit: 100 });
  const { remittances } = exchange.remittances(accountId, { limit: 100 });
  switch (kind) {
    case "confirm_payment":
      return payments.filter(({ paidAt }) => paidAt !== null).length;
    case "refund_payment":
      return Number(payments.reduce((sum, { refunded }) => sum + refunded, 0n) / (20_000n * 100_000_000n));
    case "send_remittance":
      return remittances.length;
    case "cancel_remittance":
      return remittances.filter(({ state }) => state === "canceled").length;
    default:
      return kind satisfies never;
  }
}

const familyOf = (kind: Kind) => (kind.endsWith("payment") ? "payment" : "remittance");
const reached = (kind: Kind) => world.proxy.deliveries(PATHS[kind]);

/** The exchange took it, and no readable answer came. */
const TAKEN: readonly FaultKind[] = ["lose_reset", "lose_hang", "cut", "garble", "html", "bad_gateway", "fail_after"];
/** It never got there, or was turned away with words that tell nothing. */
const NOT_TAKEN: readonly FaultKind[] = ["swallow", "busy", "refuse"];

describe.each(KINDS)("%s", (kind) => {
  it.each(TAKEN)("is made once when the answer is lost by %s, and the report is true", async (fault) => {
    const request = await prepared(kind);
    world.proxy.plan(PATHS[kind], fault);
    const report = await seat.transfers.make(request);
    expect(report).toMatchObject({ outcome: "accepted", state: DONE[kind] });
    expect(await seat.transfers.make(request)).toMatchObject({ transfer_id: report.transfer_id, outcome: "accepted" });
    expect(reached(kind)).toBe(1);
    expect(movements(kind)).toBe(1);
  });

  it.each(NOT_TAKEN)("is proven not made when it is lost before by %s, and then made once", async (fault) => {
    const request = await prepared(kind);
    world.proxy.plan(PATHS[kind], fault);
    const lost = await seat.transfers.make(request);
    expect(lost).toMatchObject({ outcome: "not_sent", state: "not_made" });
    expect(movements(kind)).toBe(0);
    const again = await seat.transfers.make(request);
    expect(again).toMatchObject({ outcome: "accepted", state: DONE[kind], transfer_id: lost.transfer_id });
    expect(movements(kind)).toBe(1);
  });

  it("stays unknown while the exchange cannot be asked, blocks its repetition, and becomes true by a look", async () => {
    const request = await prepared(kind);
    world.proxy.plan(PATHS[kind], "lose_reset");
    world.proxy.plan(/idempotency_key=/, "deny", 2);
    const lost = await seat.transfers.make(request);
    expect(lost).toMatchObject({ outcome: "unknown", state: "unknown" });
    expect(lost.next_action).toContain("never sent twice");
    expect(await seat.transfers.make(request)).toMatchObject({ outcome: "unknown", transfer_id: lost.transfer_id });
    world.proxy.heal();
    const seen = await seat.transfers[familyOf(kind)]({ transferId: lost.transfer_id ?? "" });
    expect(seen).toMatchObject({ ok: true, value: { state: DONE[kind] } });
    expect(reached(kind)).toBe(1);
    expect(movements(kind)).toBe(1);
  });

  it.each<CrashPoint>(["recorded", "numbered", "answered"])(
    "when its process died as it was %s, is found out by the next",
    async (crashAt) => {
      const request = await prepared(kind);
      const doomed = world.seat({ crashAt });
      void doomed.transfers.make(request);
      await doomed.died;
      const next = world.seat();
      if (crashAt === "recorded") {
        // Let through and not sent: whoever asks again is the one who sends it.
        expect(await next.transfers.make(request)).toMatchObject({ outcome: "accepted", state: DONE[kind] });
      } else {
        const counts = await next.desk.reconcile();
        expect(counts).toMatchObject({ checked: 1, still_unknown: 0 });
        const told = await next.transfers.make(request);
        const isMade = crashAt === "answered";
        expect(counts).toMatchObject(isMade ? { accepted: 1 } : { not_placed: 1 });
        expect(told).toMatchObject({ outcome: "accepted", state: DONE[kind] });
      }
      expect(movements(kind)).toBe(1);
      expect(await world.store.audit.verify()).toMatchObject({ ok: true });
    },
  );
});

describe("without the fence", () => {
  it.each(KINDS)("a lost %s is never believed not made: a person says so, not too early", async (kind) => {
    const unfenced = world.seat({ absence: { by: "none" } });
    const request = await prepared(kind);
    world.proxy.plan(PATHS[kind], "swallow");
    const lost = await unfenced.transfers.make(request);
    expect(lost).toMatchObject({ outcome: "unknown", state: "unknown" });
    expect(reached(kind)).toBe(0);
    const id = lost.transfer_id ?? "";
    const settle = (placed: boolean) => unfenced.transfers.settle(id, { placed, by: "a person" });
    expect(await settle(false)).toMatchObject({ ok: false });
    for (const ms of [41_000, 86_400_000]) {
      world.clock.skewMs = ms;
      await unfenced.desk.reconcile();
      expect(await unfenced.transfers.make(request)).toMatchObject({ outcome: "unknown" });
    }
    expect(reached(kind)).toBe(0);
    const { state, evidence } = await unwrap(unfenced.transfers[familyOf(kind)]({ transferId: id }));
    expect(state).toBe("unknown");
    expect(evidence?.lookups).toBeGreaterThan(2);
    expect(Date.parse(evidence?.last_at ?? "") - Date.parse(evidence?.since ?? "")).toBeGreaterThan(80_000_000);
    expect(await settle(false)).toMatchObject({ value: { outcome: "not_sent", state: "not_made" } });
    expect(await settle(true)).toMatchObject({ value: { state: "not_made" } });
  });
});

describe("a person's word that it was not made, while the exchange cannot be asked", () => {
  const LOOK = /^GET .*idempotency_key=/;

  async function lostAndNoted(kind: Kind, fault: FaultKind) {
    const request = await prepared(kind);
    world.proxy.plan(PATHS[kind], fault);
    world.proxy.plan(LOOK, "deny", 99);
    const lost = await seat.transfers.make(request);
    expect(lost).toMatchObject({ outcome: "unknown" });
    world.clock.skewMs = 40_000;
    const word = { placed: false, by: "a person" };
    expect(await seat.transfers.settle(lost.transfer_id ?? "", word)).toMatchObject({
      value: { outcome: "unknown", warnings: [expect.stringContaining("Your word is noted")] },
    });
    world.proxy.heal();
    return request;
  }

  it.each(KINDS)("is noted, and a %s that the exchange shows later counts", async (kind) => {
    await lostAndNoted(kind, "lose_reset");
    expect(await seat.desk.reconcile()).toMatchObject({ checked: 1, accepted: 1 });
    expect(movements(kind)).toBe(1);
  });

  it.each(KINDS)("is noted, and counts where the exchange shows no %s later", async (kind) => {
    const request = await lostAndNoted(kind, "swallow");
    expect(await seat.desk.reconcile()).toMatchObject({ checked: 1, not_placed: 1 });
    expect(await seat.transfers.make(request)).toMatchObject({ outcome: "accepted", state: DONE[kind] });
    expect(movements(kind)).toBe(1);
  });
});

describe("one just like it, under another quote", () => {
  it("is not made while the first has no answer, and answered with the first when that is found to be made", async () => {
    const first = await quotePayment(seat);
    const doomed = world.seat({ crashAt: "answered" });
    void doomed.transfers.make({ kind: "confirm_payment", payment_id: first });
    await doomed.died;
    const next = world.seat();
    const again = async () => next.transfers.make({ kind: "confirm_payment", payment_id: await quotePayment(next) });
    const told = await again();
    expect(told).toMatchObject({ outcome: "accepted", duplicate_of: told.transfer_id });
    expect(told.warnings.join()).toContain("No second one was made");
    expect(movements("confirm_payment")).toBe(1);
    expect(await again()).toMatchObject({ outcome: "accepted" });
  });

  it("is not made where the first was looked at only after it was asked for", async () => {
    const [first, second] = [await quotePayment(seat), await quotePayment(seat)];
    const doomed = world.seat({ crashAt: "answered" });
    void doomed.transfers.make({ kind: "confirm_payment", payment_id: first });
    await doomed.died;
    const hung = /^GET \/v1\/accounts/;
    world.proxy.plan(hung, "swallow", 1);
    const hanging = world.proxy.reached(hung);
    const asking = world.seat().transfers.make({ kind: "confirm_payment", payment_id: second });
    await hanging;
    expect(await seat.transfers.payment({ id: first })).toMatchObject({ ok: true });
    expect(await asking).toMatchObject({ outcome: "accepted", duplicate_of: expect.any(String) });
    expect(movements("confirm_payment")).toBe(1);
  });

  it("when more than a day has passed, goes through as another", async () => {
    const doomed = world.seat({ crashAt: "answered" });
    void doomed.transfers.make({ kind: "confirm_payment", payment_id: await quotePayment(seat) });
    await doomed.died;
    const next = world.seat();
    await next.desk.reconcile();
    world.clock.skewMs = 86_400_000;
    world.pass(86_400_000);
    const again = { kind: "confirm_payment", payment_id: await quotePayment(next) } as const;
    expect(await next.transfers.make(again)).toMatchObject({ outcome: "accepted" });
  });

  it("is not made when both are asked for at the same moment", async () => {
    // Two processes: one and the same would ask the store once for both.
    const afterLook = meeting(2);
    const racing = [world.seat({ afterLook }), world.seat({ afterLook })];
    const asked = await Promise.all(racing.map(async (one) => ({ one, quote: await quoteRemittance(one) })));
    const reports = await Promise.all(asked.map(({ one, quote }) => send(one, quote)));
    const [one] = reports.filter((each) => each.outcome === "accepted" && each.duplicate_of === undefined);
    const other = reports.find((each) => each !== one);
    expect(one).toBeDefined();
    expect(other?.duplicate_of ?? other?.error?.code).toBe(
      other?.duplicate_of === undefined ? "ELocal:Twin unresolved" : one?.transfer_id,
    );
    expect(movements("send_remittance")).toBe(1);
  });

  it("is not sent to the same beneficiary while the first is unknown", async () => {
    world.proxy.plan(PATHS.send_remittance, "lose_reset");
    world.proxy.plan(/idempotency_key=/, "deny", 3);
    expect(await send(seat, await quoteRemittance(seat))).toMatchObject({ outcome: "unknown" });
    expect(await send(seat, await quoteRemittance(seat))).toMatchObject({ error: { code: "ELocal:Twin unresolved" } });
    expect(movements("send_remittance")).toBe(1);
  });
});

describe("what is left when trading is halted", () => {
  it("names payments and remittances without an answer in plain words", async () => {
    world.proxy.plan(PATHS.send_remittance, "lose_reset");
    world.proxy.plan(/idempotency_key=/, "deny", 50);
    const lost = await send(seat, await quoteRemittance(seat));
    const report = await seat.desk.halt("stop", "a person");
    const words = report.warnings.join("\n");
    expect(words).toContain(lost.transfer_id);
    expect(words).toContain("send ₩200,000");
    expect(words).not.toContain("110-234");
    expect(report.next_action).toContain("payments and remittances");
    expect((await seat.desk.status()).warnings.join()).toContain(lost.transfer_id);
  });

  it("a status names the first five of its own account and counts the rest; a halt names all, of every account", async () => {
    world.proxy.plan(PATHS.send_remittance, "lose_reset");
    world.proxy.plan(/idempotency_key=/, "deny", 50);
    const lost = await send(seat, await quoteRemittance(seat));
    const kept = await unwrap(world.store.transfers.byId(lost.transfer_id ?? ""));
    if (kept === undefined) throw new Error("not kept");
    for (let each = 1; each <= 7; each += 1) {
      const account = each === 7 ? "another" : kept.account;
      const named = { transferId: `left-${each}`, requestKey: `request ${each}`, idempotencyKey: `key ${each}` };
      await unwrap(world.store.transfers.record({ ...kept, ...named, account }, []));
    }
    const transfers = (await seat.desk.status()).warnings.filter((words) =>
      /^(send_remittance|Transfers) /.test(words),
    );
    expect(transfers.filter((words) => words.includes("has had no answer"))).toHaveLength(5);
    expect(transfers.at(-1)).toBe("Transfers without an answer besides these: 2.");
    expect(transfers.join()).not.toContain("another");
    const words = (await seat.desk.halt("stop", "a person")).warnings.join();
    for (let each = 1; each <= 7; each += 1) expect(words).toContain(`left-${each}`);
  });
});
