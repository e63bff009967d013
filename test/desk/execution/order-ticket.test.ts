/** What the press of a ticket's button does, and what it does not. */
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { OrderRequest, Policy, WriteReport } from "../../../src/desk/index.ts";
import type { Seat, SeatOptions, World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { sealShown } from "../../fixture/person.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const CONFIRM: Policy = { ...LOOSE, mode: "confirm", approveBy: ["client", "pin"] };
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const HERE = { session: "here" };

let world: World;
let policy: ChangeablePolicy;
let seat: Seat;
openWorldPerTest({}, (opened) => {
  world = opened;
  policy = changeablePolicy(CONFIRM);
});
const sit = async (options: SeatOptions = {}) => {
  seat = await world.seat({ policy, patient: true, ...options });
};
beforeEach(() => sit());
const set = (change: Partial<Policy>) => {
  policy.value = ok({ ...CONFIRM, ...change });
};
const sent = () => world.proxy.deliveries(ORDER_POST);

interface Ticketed {
  readonly draft_id: string;
  readonly ticket: string;
}

async function ticketOf(request: Partial<OrderRequest> = {}, holder: { session?: string } = HERE): Promise<Ticketed> {
  const preview = await seat.desk.preview({ ...order, ...request }, holder);
  if (!preview.ok) throw new Error(preview.fault.message);
  const { draft_id = "", ticket = "" } = preview.value;
  expect([draft_id, ticket]).not.toContain("");
  return { draft_id, ticket };
}

const press = (
  { draft_id, ticket }: Ticketed,
  {
    session = "here",
    holder = { session },
    mayApprove = true,
  }: { session?: string; holder?: { session?: string }; mayApprove?: boolean } = {},
): Promise<WriteReport> => seat.desk.press({ ticket, request: { draft_id }, holder, session, mayApprove });

const WAITS = { outcome: "not_sent", state: "awaiting_approval" };
const MISMATCH = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Approval mismatch" } };

describe("the press of a ticket's button", () => {
  it("is a person's yes to the order that the ticket showed, once", async () => {
    const ticketed = await ticketOf();
    const report = await press(ticketed);
    expect(report).toMatchObject({ outcome: "accepted", state: "open" });
    const intent = await world.store.journal.byId(report.intent_id ?? "");
    expect(intent.ok && intent.value?.body.approval).toMatchObject({ approvedBy: "client", askedIn: "here" });
    expect(await press(ticketed)).toMatchObject({ outcome: "accepted", intent_id: report.intent_id });
    expect(sent()).toBe(1);
  });

  it("is also a yes to what the model asked for from that draft, in that session", async () => {
    const ticketed = await ticketOf();
    const waiting = await seat.desk.place({ draft_id: ticketed.draft_id }, "here");
    expect(waiting).toMatchObject(WAITS);
    expect(await press(ticketed)).toMatchObject({ outcome: "accepted", intent_id: waiting.intent_id });
  });

  it("needs no yes where the policy needs none, and cannot pass its limits", async () => {
    set({ mode: "bounded" });
    const ticketed = await ticketOf();
    const large = await ticketOf({ base_volume: "0.002" });
    expect(await press(ticketed, { mayApprove: false })).toMatchObject({ outcome: "accepted" });
    set({ mode: "read-only" });
    expect(await press(large)).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(sent()).toBe(1);
  });

  it.each([
    ["where the caller says that it is none", {}, { mayApprove: false }],
    ["where the policy takes the PIN alone", { approveBy: ["pin"] }, {}],
  ] as const)("is no yes %s: the order goes on waiting", async (_, change, how) => {
    const ticketed = await ticketOf();
    set(change);
    expect(await press(ticketed, how)).toMatchObject({ ...WAITS, next_action: expect.stringContaining("approve") });
    expect(sent()).toBe(0);
  });

  it("is no yes once the market has moved, or the reason is another", async () => {
    world.rest("sell", "150000000", "1");
    const bid = world.rest("buy", "140000000", "1");
    const moved = await ticketOf({ userref: "moved" });
    world.withdraw(bid);
    world.rest("buy", "100000000", "1");
    const report = await press(moved);
    expect(report).toMatchObject(WAITS);
    expect(report.warnings.join()).toMatch(/is no approval.*approval_drift_pct/);
    set({ mode: "bounded" });
    const free = await ticketOf({ userref: "free", base_volume: "0.003" });
    set({});
    const asked = await press(free);
    expect(asked).toMatchObject(WAITS);
    expect(asked.warnings.join()).toContain("another reason");
    expect(sent()).toBe(0);
  });
});

describe("a ticket", () => {
  it("is of one draft and one session, and nobody else makes one", async () => {
    const [one, other] = [await ticketOf(), await ticketOf({ base_volume: "0.002" })];
    expect(await press({ ...one, ticket: other.ticket })).toMatchObject(MISMATCH);
    expect(await press(one, { session: "elsewhere" })).toMatchObject(MISMATCH);
    expect(await press(one, { holder: {} })).toMatchObject(MISMATCH);
    expect(await press({ ...one, ticket: "" })).toMatchObject(MISMATCH);
    const [text = "", mac = ""] = one.ticket.split(".");
    const forged = Buffer.from(text, "base64url").toString().replace(one.draft_id, other.draft_id);
    expect(await press({ ...other, ticket: `${Buffer.from(forged).toString("base64url")}.${mac}` })).toMatchObject(
      MISMATCH,
    );
    const waiting = await seat.desk.place({ draft_id: one.draft_id }, "here");
    const seal = await sealShown(seat.desk, waiting.intent_id ?? "", { draft_id: one.draft_id }, "here");
    expect(await press({ ...one, ticket: seal.ok ? seal.value : "" })).toMatchObject(MISMATCH);
    const answer = { seal: one.ticket, said: "yes", request: { draft_id: one.draft_id }, session: "here" } as const;
    expect(await seat.desk.answerApproval(answer)).toMatchObject(MISMATCH);
    expect(sent()).toBe(0);
  });

  it("is made for whoever shows it, and for a draft alone", async () => {
    const [unseen, none] = [
      await seat.desk.preview(order),
      await seat.desk.preview({ ...order, base_volume: "0" }, HERE),
    ];
    expect([unseen, none].map((preview) => preview.ok && preview.value.ticket)).toEqual([undefined, undefined]);
  });

  it("holds where every call is a session of its own, for whoever has it", async () => {
    const ticketed = await ticketOf({}, {});
    expect(await press(ticketed, { session: "this call", holder: {} })).toMatchObject({ outcome: "accepted" });
  });
});
