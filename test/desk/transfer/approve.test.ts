/** What the policy and a person have to say to payments and remittances, and that the model has nothing to say. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import {
  ASKING,
  approve,
  FREELY,
  KIM,
  quotePayment,
  quoteRemittance,
  sealShown,
  seat,
  send,
  sentRemittance,
  settledPayment,
  TRAVEL,
  transferWorldPerTest,
  world,
} from "./transfer-world.ts";

transferWorldPerTest();
const moves = () =>
  world.proxy.log.filter(({ method, path }) => method === "POST" && /(confirm|refund|cancel|remittances)$/.test(path));
const confirm = async (more = {}) => ({ kind: "confirm_payment", payment_id: await quotePayment(seat, more) }) as const;

/** A payment that is asked for, and the seal of its question. */
async function question(...way: readonly "page"[]) {
  const request = await confirm();
  const id = (await seat.transfers.make(request)).transfer_id ?? "";
  const sealed = await sealShown(seat, id, request, ...way);
  return { request, seal: sealed.ok ? sealed.value : "" };
}

describe("without a word of the policy", () => {
  it.each(["confirm", "bounded"] as const)(
    "pays and remits nothing in mode %s, whoever would approve",
    async (mode) => {
      world.policy.value = ok({ ...LOOSE, mode });
      const paid = await seat.transfers.make(await confirm());
      expect(paid).toMatchObject({
        outcome: "not_sent",
        state: "denied",
        error: { rule: "section", limit: "[payments]" },
      });
      const sent = await send(seat, await quoteRemittance(seat));
      expect(sent).toMatchObject({ outcome: "not_sent", error: { rule: "section", limit: "[remittances]" } });
      expect(sent.error?.message).toContain("policy.toml");
      expect(moves()).toEqual([]);
      expect((await unwrap(world.store.audit.recent({ limit: 1 })))[0]).toMatchObject({ event: "transfer_denied" });
    },
  );

  it("a policy that cannot be read lets nothing go, but a remittance be taken back", async () => {
    const remittance_id = await sentRemittance(seat);
    const [payment, quote] = [await confirm(), await quoteRemittance(seat)];
    world.policy.value = failed(localFault("ELocal:Policy unreadable"));
    const denied = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Policy unreadable" } };
    expect(await seat.transfers.make(payment)).toMatchObject(denied);
    expect(await send(seat, quote)).toMatchObject(denied);
    expect(await seat.transfers.make({ kind: "cancel_remittance", remittance_id })).toMatchObject({
      state: "canceled",
    });
  });
});

describe("the limits of a policy", () => {
  it.each([
    ["size", { max: inUnit("49999") }],
    ["day_budget", { maxDay: inUnit("49999") }],
  ])("deny by %s, with figure and limit", async (rule, change) => {
    const { payments = { max: inUnit("0"), maxDay: inUnit("0"), approvalOver: inUnit("0") } } = FREELY;
    world.policy.value = ok({ ...FREELY, payments: { ...payments, ...change } });
    const report = await seat.transfers.make(await confirm());
    expect(report).toMatchObject({ state: "denied", error: { rule, figure: "50001", limit: "49999" } });
    expect(moves()).toEqual([]);
  });

  it("deny another country, and a beneficiary whom they do not name", async () => {
    const { remittances } = FREELY;
    if (remittances === undefined) throw new Error("no section");
    world.policy.value = ok({ ...FREELY, remittances: { ...remittances, countries: ["JP"] } });
    expect(await send(seat, await quoteRemittance(seat))).toMatchObject({ error: { rule: "country", figure: "US" } });
    world.policy.value = ok(FREELY);
    const beneficiary = { ...KIM, account: "1" };
    const request = { kind: "send_remittance", quote_id: await quoteRemittance(seat), ...TRAVEL, beneficiary } as const;
    const refused = await seat.transfers.make(request);
    expect(refused).toMatchObject({ state: "denied", error: { rule: "beneficiary" } });
    // Where nobody is named, anybody may get it, and a person is asked each time.
    world.policy.value = ok({ ...FREELY, remittances: { ...remittances, beneficiaries: undefined } });
    expect(await seat.transfers.make(request)).toMatchObject({ state: "awaiting_approval" });
    expect(moves()).toEqual([]);
  });

  it("deny a quote to another country, whatever country the caller names", async () => {
    const body = { source_asset: "KRW", target_currency: "EUR", amount: "200000", destination_country: "DE" };
    const quoted = await seat.transfers.quoteRemittance(body);
    expect(quoted).toMatchObject({ ok: true, value: { policy: "denied" } });
    const quote_id = (quoted.ok && quoted.value.quote?.quote_id) || "";
    const lied = await send(seat, quote_id);
    expect(lied).toMatchObject({ outcome: "not_sent", error: { field: "beneficiary.country" } });
    expect(lied.error?.message).toContain("DE");
    const beneficiary = { ...KIM, country: "DE" };
    const told = await seat.transfers.make({ kind: "send_remittance", quote_id, ...TRAVEL, beneficiary });
    expect(told).toMatchObject({ outcome: "not_sent", error: { rule: "country", figure: "DE" } });
    expect(moves()).toEqual([]);
  });

  it("are counted over a day, payments and remittances each by themselves", async () => {
    const { payments } = FREELY;
    if (payments === undefined) throw new Error("no section");
    world.policy.value = ok({ ...FREELY, payments: { ...payments, maxDay: inUnit("101000") } });
    for (const ref of ["a", "b"])
      expect(await seat.transfers.make(await confirm({ ref }))).toMatchObject({ state: "paid" });
    expect(await send(seat, await quoteRemittance(seat))).toMatchObject({ state: "created" });
    const third = await confirm({ ref: "c" });
    expect(await seat.transfers.make(third)).toMatchObject({ error: { rule: "day_budget", figure: "150003" } });
    expect((await seat.desk.status()).limits).toContainEqual({
      ...{ rule: "payments_day_budget", limit: "101000", used: "100002", left: "998", frees_at: null },
      line: '[payments] max_day_krw = "101000"',
    });
    world.clock.skewMs = 86_400_000;
    world.pass(86_400_000);
    expect(await seat.transfers.make(await confirm({ ref: "d" }))).toMatchObject({ outcome: "accepted" });
  });

  it("hold for many at the same moment: together they stay inside the day", async () => {
    const { payments } = FREELY;
    if (payments === undefined) throw new Error("no section");
    world.policy.value = ok({ ...FREELY, payments: { ...payments, maxDay: inUnit("101000") } });
    const asked = [];
    for (const ref of ["a", "b", "c", "d", "e"]) asked.push(await confirm({ ref }));
    const reports = await Promise.all(asked.map((request) => seat.transfers.make(request)));
    expect(reports.filter(({ outcome }) => outcome === "accepted")).toHaveLength(2);
    const rules = reports.flatMap(({ error }) => error?.rule ?? []);
    expect(rules).toEqual(["day_budget", "day_budget", "day_budget"]);
  });

  it("are shown to whoever asks for the policy, but for the accounts in it", async () => {
    const shown = await seat.desk.policy();
    const limits = { max_krw: "100000000", max_day_krw: "100000000", approval_over_krw: "100000000" };
    const beneficiaries = ["BOFAUS3N/…7890"];
    expect(shown).toMatchObject({
      ok: true,
      value: { payments: limits, remittances: { ...limits, countries: ["US"], beneficiaries } },
    });
    world.policy.value = ok(LOOSE);
    expect(JSON.stringify(await seat.desk.policy())).not.toContain("payments");
  });

  it("value a remittance in coins at the better price of the book", async () => {
    const { remittances } = FREELY;
    if (remittances === undefined) throw new Error("no section");
    world.policy.value = ok({ ...FREELY, remittances: { ...remittances, max: inUnit("99999") } });
    const body = { source_asset: "BTC", target_currency: "USD", amount: "0.001", destination_country: "US" };
    const quoted = await seat.transfers.quoteRemittance(body);
    expect(quoted).toMatchObject({ ok: true, value: { value: "100001", policy: "denied" } });
    const quote_id = (quoted.ok && quoted.value.quote?.quote_id) || "";
    expect(await send(seat, quote_id)).toMatchObject({ error: { rule: "size", figure: "100001" } });
  });

  it("are denied while trading is halted, and a remittance can be taken back all the same", async () => {
    const remittance_id = await sentRemittance(seat);
    const [payment, quote] = [await confirm(), await quoteRemittance(seat)];
    await seat.desk.halt("stop", "a person");
    const halted = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Trading halted" } };
    expect(await seat.transfers.make(payment)).toMatchObject(halted);
    expect(await send(seat, quote)).toMatchObject(halted);
    expect(await seat.transfers.make({ kind: "cancel_remittance", remittance_id })).toMatchObject({
      state: "canceled",
    });
  });
});

describe("a transfer that a person is asked about", () => {
  beforeEach(() => {
    world.policy.value = ok(ASKING);
  });

  it("waits where a person finds it, as long as its quote holds at most, and is made once by a yes", async () => {
    const request = await confirm();
    const asked = await seat.transfers.make(request);
    expect(asked).toMatchObject({ outcome: "not_sent", state: "awaiting_approval", approval: { value: "50001" } });
    const id = asked.transfer_id ?? "";
    expect(asked.next_action).toContain(`hoga approve ${id}`);
    const waitsMs = Date.parse(asked.approval?.expires_at ?? "") - Date.parse(asked.approval?.asked_at ?? "");
    expect(waitsMs).toBeLessThanOrEqual(60_000);
    expect(await seat.transfers.make(request)).toMatchObject({ state: "awaiting_approval", transfer_id: id });
    expect(await seat.transfers.pending()).toMatchObject({ ok: true, value: [{ asked: { transfer_id: id } }] });
    expect((await seat.desk.status()).waiting).toEqual([
      { intent_id: id, userref: null, summary: asked.approval?.summary, expires_at: asked.approval?.expires_at },
    ]);
    expect(moves()).toEqual([]);
    expect(await approve(seat, id)).toMatchObject({ outcome: "accepted", state: "paid" });
    expect(await approve(seat, id)).toMatchObject({ outcome: "accepted", transfer_id: id });
    const steps = await unwrap(world.store.audit.recent({ intentId: id, limit: 9 }));
    expect(steps.map(({ detail }) => detail)).toContainEqual({
      from: "awaiting_approval",
      to: "approved",
      approved_by: "pin",
    });
    expect(await seat.transfers.deny(id)).toMatchObject({ value: { outcome: "accepted" } });
    expect(moves()).toHaveLength(1);
  });

  it("shows the person every field of a remittance, and everybody else the last four of the account", async () => {
    const asked = await send(seat, await quoteRemittance(seat));
    expect(JSON.stringify(asked)).not.toContain(KIM.account);
    const found = await seat.transfers.pending();
    expect(found.ok && found.value[0]?.task).toMatchObject({ kind: "send_remittance", send: { beneficiary: KIM } });
    expect(found.ok && found.value[0]?.asked.summary).toContain("…7890");
  });

  it("is not called denied where the no cannot be written down", async () => {
    const id = (await seat.transfers.make(await confirm())).transfer_id ?? "";
    const broken = vi.spyOn(world.store.transfers, "advance").mockImplementationOnce(storeBroken);
    expect(await seat.transfers.deny(id)).toMatchObject({ ok: false, fault: { code: "ELocal:Store unavailable" } });
    broken.mockRestore();
    expect(await seat.transfers.pending()).toMatchObject({ value: [{ asked: { transfer_id: id } }] });
  });

  it("does not wait any more when its time is over, whoever looks first", async () => {
    const { transfer_id: transferId = "" } = await seat.transfers.make(await confirm());
    world.clock.skewMs = 61_000;
    expect(await seat.transfers.payment({ transferId })).toMatchObject({ value: { state: "not_made" } });
  });

  it.each(["deny", "expire"] as const)("is not made after: %s", async (how) => {
    const asked = await seat.transfers.make(await confirm());
    const id = asked.transfer_id ?? "";
    if (how === "deny")
      expect(await seat.transfers.deny(id)).toMatchObject({ value: { outcome: "not_sent", state: "denied" } });
    else world.clock.skewMs = 61_000;
    const late = await approve(seat, id);
    expect(late).toMatchObject({ outcome: "not_sent", state: how === "deny" ? "denied" : "not_made" });
    expect(moves()).toEqual([]);
    expect(await seat.transfers.pending()).toMatchObject({ value: [] });
  });

  it("waits on where the kill switch, or the policy, stands before it at that moment", async () => {
    const id = (await seat.transfers.make(await confirm())).transfer_id ?? "";
    world.policy.value = ok({ ...ASKING, approveBy: ["client"] });
    expect(await approve(seat, id)).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    world.policy.value = ok(ASKING);
    // Another process has halted, and has not come to what waits yet.
    await unwrap(world.store.killSwitch.engage({ reason: "a test", by: "test", atMs: Date.now() }));
    expect(await approve(seat, id)).toMatchObject({ error: { code: "ELocal:Trading halted" } });
    await seat.desk.resume("a person");
    expect(await approve(seat, id)).toMatchObject({ state: "paid" });
  });

  it("is not the one that was asked about once any field of it is another", async () => {
    const asked = await send(seat, await quoteRemittance(seat));
    const id = asked.transfer_id ?? "";
    const kept = await unwrap(world.store.transfers.byId(id));
    if (kept?.body.task.kind !== "send_remittance") throw new Error("not kept");
    const { task } = kept.body;
    const beneficiary = { ...KIM, account: "666" };
    const body = { ...kept.body, task: { ...task, send: { ...task.send, beneficiary } } };
    await unwrap(
      world.store.transfers.advance(id, { from: ["awaiting_approval"], to: "awaiting_approval", body }, Date.now()),
    );
    expect(await approve(seat, id)).toMatchObject({ error: { code: "ELocal:Approval mismatch" } });
    expect(moves()).toEqual([]);
  });

  it("is answered through a client by its own seal and its own arguments alone", async () => {
    const request = await confirm();
    const other = await confirm({ ref: "cart-2" });
    const id = (await seat.transfers.make(request)).transfer_id ?? "";
    expect(await sealShown(seat, id, other)).toMatchObject({ ok: false });
    const sealed = await sealShown(seat, id, request);
    const seal = sealed.ok ? sealed.value : "";
    const mismatch = { outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } };
    expect(await seat.transfers.answerApproval({ seal, said: "yes", request: other })).toMatchObject(mismatch);
    expect(await seat.transfers.answerApproval({ seal: "made up", said: "yes", request })).toMatchObject(mismatch);
    const closed = await seat.transfers.answerApproval({ seal, said: "dismissed", request });
    expect(closed).toMatchObject({ state: "awaiting_approval" });
    expect(closed.warnings.join()).toContain(`hoga deny ${id}`);
    expect(moves()).toEqual([]);
    expect(await seat.transfers.answerApproval({ seal, said: "yes", request })).toMatchObject({ state: "paid" });
    await seat.transfers.answerApproval({ seal, said: "yes", request });
    expect(moves()).toHaveLength(1);
  });

  it("is not answered by a client that was to send the person to the console's page", async () => {
    const { request, seal } = await question("page");
    for (const said of ["yes", "no"] as const)
      expect(await seat.transfers.answerApproval({ seal, said, request })).toMatchObject({
        state: "awaiting_approval",
      });
    expect(moves()).toEqual([]);
  });

  it("is withdrawn by an explicit no out of the client's form", async () => {
    const { request, seal } = await question();
    const no = await seat.transfers.answerApproval({ seal, said: "no", request });
    expect(no).toMatchObject({ outcome: "not_sent", state: "denied", error: { code: "ELocal:Not approved" } });
    expect(await seat.transfers.answerApproval({ seal, said: "yes", request })).toMatchObject({ state: "denied" });
    expect(moves()).toEqual([]);
  });

  it("ends with the call that asks, where that is withdrawn, and a yes that comes later counts for nothing", async () => {
    const { request, seal } = await question();
    const ended = await seat.transfers.answerApproval({ seal, said: "withdrawn", request });
    expect(ended).toMatchObject({ outcome: "not_sent", state: "not_made", error: { code: "ELocal:Withdrawn" } });
    expect(ended.next_action).toContain("ask for a new quote");
    expect(await seat.transfers.answerApproval({ seal, said: "yes", request })).toMatchObject({ outcome: "not_sent" });
    expect(moves()).toEqual([]);
  });

  it("is a duplicate of one that waits: the same bill under another quote has to wait for the first", async () => {
    const id = (await seat.transfers.make(await confirm())).transfer_id ?? "";
    const twin = await seat.transfers.make(await confirm());
    expect(twin).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Twin unresolved" } });
    expect(twin.next_action).toContain(id);
    await seat.transfers.deny(id);
    expect(await seat.transfers.make(await confirm())).toMatchObject({ state: "awaiting_approval" });
  });

  it("asks for a refund too", async () => {
    world.policy.value = ok(FREELY);
    const payment_id = await settledPayment(world, seat);
    world.policy.value = ok(ASKING);
    const asked = await seat.transfers.make({ kind: "refund_payment", payment_id });
    expect(asked).toMatchObject({ state: "awaiting_approval", approval: { value: "50000" } });
    expect(moves()).toHaveLength(1);
  });

  it("when proven not made, can be asked for anew as it was, and never for another beneficiary", async () => {
    world.policy.value = ok(FREELY);
    const quote_id = await quoteRemittance(seat);
    world.proxy.plan(/^POST \/v0.1\/remittances$/, "refuse", 1);
    const lost = await send(seat, quote_id);
    expect(lost).toMatchObject({ outcome: "not_sent", state: "not_made" });
    const beneficiary = { ...KIM, name: "Somebody Else" };
    const other = await seat.transfers.make({ kind: "send_remittance", quote_id, ...TRAVEL, beneficiary });
    expect(other).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Userref in use" } });
    expect(await send(seat, quote_id)).toMatchObject({ outcome: "accepted", transfer_id: lost.transfer_id });
  });

  it("is approved as it was read: a PIN for a question that stands no more is for no other under the same id", async () => {
    const quote_id = await quoteRemittance(seat);
    const id = (await send(seat, quote_id)).transfer_id ?? "";
    const read = await seat.transfers.pending();
    const shown = (read.ok && read.value[0]?.digest) || "";
    world.proxy.plan(/^POST \/v0.1\/remittances$/, "refuse", 1);
    expect(await approve(seat, id)).toMatchObject({ outcome: "not_sent", state: "not_made" });
    world.clock.skewMs = 1_000;
    expect(await send(seat, quote_id)).toMatchObject({ state: "awaiting_approval", transfer_id: id });
    const late = await seat.transfers.approve(id, "pin", shown);
    expect(late).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } });
    expect(await approve(seat, id)).toMatchObject({ outcome: "accepted", state: "created" });
  });
});
