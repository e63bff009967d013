/** Every way that a sending can go, over a real store; the exchange and the check answer what each case says. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fault, failed, localFault, type Order, ok, type Result } from "../../../src/contract/index.ts";
import { DeskContext, type DeskParts } from "../../../src/desk/core/context.ts";
import { DuplicateGuard } from "../../../src/desk/execution/duplicate-guard.ts";
import { submittedOrders } from "../../../src/desk/execution/order-kind.ts";
import { SubmitOrder } from "../../../src/desk/execution/submit-order.ts";
import { VerifiedCancel } from "../../../src/desk/execution/verified-cancel.ts";
import type { IntentBody, IntentRecord, IntentState, Journal, Venue } from "../../../src/desk/index.ts";
import { OrderAcknowledgements } from "../../../src/desk/reconciliation/acknowledgements.ts";
import { orderReconciler } from "../../../src/desk/reconciliation/order-lookup.ts";
import { OrderTracker } from "../../../src/desk/reconciliation/order-tracker.ts";
import type { Assessment, PreTradeCheck } from "../../../src/desk/risk/pre-trade-check.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { cardOf } from "../../../src/venues/index.ts";
import { order as sample } from "../../fixture/order-sample.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";

const NOW = 1_784_538_000_000;
const HELD = "1425000";
const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);
const USERREF = "desk-1";
const MINTED = "hg0123456789abcdef";
const REQUEST = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.015", price: "95000000" } as const;
const ASKED: NonNullable<IntentBody["approval"]> = {
  digest: "",
  priceSeen: null,
  value: HELD,
  unit: "KRW",
  why: "it is large",
  expiresAtMs: NOW + 60_000,
  approvedBy: "pin",
};
const STALE = localFault("ELocal:Denied by policy", { rule: "book_age" });
const DENIED = localFault("ELocal:Denied by policy", { rule: "day_budget" });
const NOT_APPROVED = localFault("ELocal:Not approved");
const LOST = localFault("ELocal:No answer");
const REFUSED: Fault = { ...localFault("ELocal:No answer"), code: "EOrder:Insufficient funds", reachedVenue: "yes" };
const UNSENT: Fault = { ...LOST, reachedVenue: "no" };

let store: Store<IntentState, IntentBody>;
let journal: Journal;
let venue: Pick<Venue, "submit" | "order" | "lookup" | "clockOffsetMs"> & { keyId: string };
/** What the check finds, one after the other; the last one from then on. */
let assessments: Result<Assessment>[];
let looked: number;
let whileAssessed: () => void;
let sent: number;

/** An assessment that allows the order, and what it says inside the transaction that sends. */
function allowed(recheck?: Fault, change: Partial<Assessment> = {}): Assessment {
  const verdict = { kind: "allow" } as const;
  const found = {
    price: null,
    value: undefined,
    policy: LOOSE,
    verdict,
    countsFor: HELD,
    sinceMs: [],
    recheck: () => recheck,
  };
  const assessment = { ...found, ...change } as Assessment;
  return { ...assessment, renewed: async () => assessment };
}

/** An exchange that takes the one request and answers this; `meanwhile` happens between the two. */
function answering(answer: Result<Order | { orderId: string }>, meanwhile?: () => Promise<unknown>): Venue["submit"] {
  return async (_order, beforeSend) => {
    if (!(await beforeSend("7"))) return failed(UNSENT);
    sent += 1;
    await meanwhile?.();
    return answer;
  };
}

const current = async (): Promise<IntentRecord> => {
  const found = await unwrap(store.journal.byId("i-1"));
  if (found === undefined) throw new Error("the intent is gone");
  return found;
};

async function recorded(more: Partial<IntentBody> = {}, intentId = "i-1", userref = USERREF): Promise<IntentRecord> {
  const body: IntentBody = {
    order: { ...REQUEST, userref },
    environment: "sandbox",
    keyId: "k",
    digest: "",
    ...more,
  };
  const made = await unwrap(
    store.journal.record({
      intentId,
      account: "paper",
      userref,
      state: "approved",
      nonce: null,
      unit: "KRW",
      orderId: null,
      body,
      createdAtMs: NOW,
    }),
  );
  if (made === undefined) throw new Error("recorded twice");
  return made;
}

/** Who sends it, under which clock, and whether it is withdrawn. */
type Sender = Partial<Pick<DeskParts, "clock" | "presence">> & { readonly withdrawn?: AbortSignal };

async function submit(given: IntentRecord, fresh?: Assessment, { withdrawn, ...sender }: Sender = {}) {
  const clock = { now: () => NOW, sleep: async () => {} };
  const parts = { journal, venue: { ...venue, environment: "sandbox", card: cardOf(undefined) }, clock, ...sender };
  const context = new DeskContext(parts as unknown as DeskParts);
  await context.setAccount("paper");
  const check = {
    assess: async () => {
      looked += 1;
      whileAssessed();
      return (assessments.length > 1 ? assessments.shift() : assessments[0]) ?? failed(UNSENT);
    },
  } as unknown as PreTradeCheck;
  const reconciler = orderReconciler(context);
  const duplicates = new DuplicateGuard(context, reconciler, new OrderAcknowledgements(context));
  const tracker = new OrderTracker(context);
  const cancels = new VerifiedCancel(context, parts.venue as unknown as Venue);
  const kind = submittedOrders({
    context,
    check,
    tracker: () => tracker,
    duplicates,
    writes: parts.venue as unknown as Venue,
  });
  const sending = new SubmitOrder(context, kind, reconciler, () => cancels);
  const { item: intent, ...told } = await sending.submit(given, { requestedAtMs: NOW, withdrawn }, fresh);
  return { intent, ...told };
}

beforeEach(async () => {
  store = await openStore({ memory: true }, { clock: { now: () => NOW, sleep: async () => {} }, random: () => 0 });
  journal = store.journal;
  assessments = [ok(allowed())];
  [looked, sent] = [0, 0];
  whileAssessed = () => {};
  venue = {
    keyId: "k",
    clockOffsetMs: () => 0,
    submit: answering(ok(sample)),
    order: async () => ok(sample),
    lookup: async () => failed(LOST),
  };
});

afterEach(() => {
  store.close();
});

describe("before it is sent", () => {
  it("is assessed, unless that was just done", async () => {
    const { intent, warnings } = await submit(await recorded(), allowed());
    expect([intent.state, looked, sent, warnings]).toEqual(["open", 0, 1, []]);
  });

  it("gets a new book twice where the book grew old while it waited, and is then denied", async () => {
    assessments = [ok(allowed(STALE)), ok(allowed(STALE)), ok(allowed())];
    expect([(await submit(await recorded())).intent.state, looked, sent]).toEqual(["open", 3, 1]);
  });

  it("is denied with the third book that is too old", async () => {
    assessments = [ok(allowed(STALE))];
    const { intent } = await submit(await recorded(), allowed(STALE));
    expect([intent.state, intent.body.fault, looked, sent]).toEqual(["denied", STALE, 2, 0]);
  });

  it("is denied at once for anything else, and counts for nothing", async () => {
    assessments = [ok(allowed(DENIED))];
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.fault, looked, sent, warnings]).toEqual(["denied", DENIED, 1, 0, []]);
    expect([intent.held, intent.isLive, intent.sentAtMs]).toEqual(["0", false, null]);
    expect(await current()).toEqual(intent);
  });

  it.each([
    ["its approval no longer counts in the transaction", "lapsed", { approval: ASKED }],
    ["a person would have to be asked after all", "denied", {}],
  ] as const)("is not sent where %s: %s", async (_why, state, body) => {
    assessments = [ok(allowed(NOT_APPROVED))];
    const { intent } = await submit(await recorded(body));
    expect([intent.state, intent.body.fault, sent]).toEqual([state, NOT_APPROVED, 0]);
  });

  it("is denied under an approval, where another rule denies it in the transaction", async () => {
    assessments = [ok(allowed(DENIED))];
    expect((await submit(await recorded({ approval: ASKED }))).intent.state).toBe("denied");
  });

  it("lapses where its approval is over", async () => {
    const { intent } = await submit(await recorded({ approval: { ...ASKED, expiresAtMs: NOW - 1 } }));
    expect([intent.state, intent.body.fault?.message, sent]).toEqual([
      "lapsed",
      "The approval has expired. Nothing was sent.",
      0,
    ]);
  });

  it("is denied by a verdict that denies", async () => {
    const denial = { rule: "order_size", figure: "2", limit: "1", message: "too large" } as const;
    assessments = [ok(allowed(undefined, { verdict: { kind: "deny", denial } }))];
    const { intent } = await submit(await recorded());
    expect([intent.state, intent.body.fault?.rule, sent]).toEqual(["denied", "order_size", 0]);
  });

  it("is not placed where it cannot be assessed", async () => {
    assessments = [failed(LOST)];
    const { intent } = await submit(await recorded());
    expect([intent.state, intent.body.fault, intent.sentAtMs, sent]).toEqual(["not_placed", LOST, null, 0]);
  });

  it("is signed by the key in use, whichever it was recorded under", async () => {
    venue.keyId = "k2";
    await submit(await recorded());
    expect((await current()).body.keyId).toBe("k2");
  });

  it("is not sent where its nonce cannot be stored, and says so", async () => {
    journal = { ...store.journal, begin: storeBroken };
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.fault?.code, sent, warnings]).toEqual([
      "not_placed",
      "ELocal:Store unavailable",
      0,
      [],
    ]);
  });

  it("ends as it is for the caller where nothing can be stored", async () => {
    journal = { ...store.journal, begin: storeBroken, advance: storeBroken };
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, (await current()).state, sent]).toEqual(["not_placed", "approved", 0]);
    expect(warnings).toEqual([expect.stringMatching(/^What became of this order could not be stored: ./)]);
  });

  it("ends denied for the caller where that cannot be stored", async () => {
    journal = { ...store.journal, advance: storeBroken };
    assessments = [ok(allowed(DENIED))];
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.fault, warnings.length]).toEqual(["denied", DENIED, 1]);
  });

  it("is not placed where its turn to be sent did not come", async () => {
    venue.submit = async () => failed(UNSENT);
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.fault, intent.nonce, warnings]).toEqual(["not_placed", UNSENT, null, []]);
  });

  it("is not said to be denied where the store can be neither read nor written", async () => {
    journal = { ...store.journal, advance: storeBroken, byId: storeBroken };
    assessments = [ok(allowed(DENIED))];
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, warnings.length]).toEqual(["approved", 1]);
  });
});

describe("where another process has it", () => {
  /** Another process sends it, and the exchange shows it. */
  const sendElsewhere = async (intentId = "i-1"): Promise<void> => {
    const send = { from: ["approved"], to: "submitting", nonce: "6", held: HELD, unit: "KRW" as const } as const;
    await unwrap(
      store.journal.begin(
        intentId,
        send,
        () => undefined,
        () => NOW,
      ),
    );
    venue.lookup = async () => ok({ kind: "found", item: [sample] });
  };
  const before = [`An order with userref ${USERREF} was requested before; this is that order, nothing was sent.`];

  it("reports that one instead of sending", async () => {
    const intent = await recorded();
    await sendElsewhere();
    const { intent: now, warnings } = await submit(intent);
    expect([now.state, now.orderId, now.nonce, sent, warnings]).toEqual(["open", sample.orderId, "6", 0, before]);
  });

  it("reports that one instead of a denial", async () => {
    const intent = await recorded();
    await sendElsewhere();
    const { intent: now, warnings } = await submit(intent, allowed(DENIED));
    expect([now.state, sent, warnings]).toEqual(["open", 0, before]);
    assessments = [failed(LOST)];
    expect(await submit(intent)).toMatchObject({ intent: { state: "open" }, warnings: before });
  });

  it("says no more than that one knows where its own nonce could not be stored", async () => {
    const intent = await recorded();
    await sendElsewhere();
    journal = { ...store.journal, begin: storeBroken };
    expect(await submit(intent)).toMatchObject({ intent: { state: "submitting", nonce: "6" }, warnings: [] });
  });

  it("reports that one where it cannot store that it was denied itself", async () => {
    const intent = await recorded();
    await sendElsewhere();
    journal = { ...store.journal, advance: storeBroken };
    const { intent: now, warnings } = await submit(intent, allowed(DENIED));
    expect([now.state, sent, warnings]).toEqual(["submitting", 0, before]);
  });

  it("reports that one where that was sent before its own denial could be stored, which fails", async () => {
    const advance: Journal["advance"] = async () => {
      await sendElsewhere();
      journal.advance = storeBroken;
      return storeBroken();
    };
    journal = { ...store.journal, advance };
    expect(await submit(await recorded(), allowed(DENIED))).toMatchObject({
      intent: { state: "submitting", nonce: "6" },
      warnings: before,
    });
    expect(sent).toBe(0);
  });

  it("names the one just like it that was placed meanwhile, in its stead", async () => {
    const first = await recorded({}, "i-2", MINTED);
    await sendElsewhere(first.intentId);
    await unwrap(store.journal.advance("i-2", { from: ["submitting"], to: "open", orderId: "other" }, NOW));
    const { intent, instead } = await submit(await recorded());
    expect([intent.state, instead?.intentId, sent]).toEqual(["denied", "i-2", 0]);
  });

  it("shows that one as it is at the exchange now", async () => {
    const intent = await recorded();
    await sendElsewhere();
    const partly = { ...sample, executed_volume: "0.005", remaining_volume: "0.01", executed_value: "475000" };
    venue.order = async () => ok(partly);
    expect((await submit(intent)).intent).toMatchObject({ state: "partially_filled", body: { seen: partly } });
  });

  it("is unknown while that one has no answer", async () => {
    const intent = await recorded();
    await sendElsewhere();
    venue.lookup = async () => failed(LOST);
    expect(await submit(intent)).toMatchObject({ intent: { state: "unknown", orderId: null }, warnings: before });
  });

  it("is as that one settled it, where this one's answer is lost; the exchange's own answer counts more", async () => {
    const settle = () => store.journal.advance("i-1", { from: ["submitting"], to: "not_placed", unsend: true }, NOW);
    venue.submit = answering(failed(LOST), settle);
    expect(await submit(await recorded())).toMatchObject({ intent: { state: "not_placed" }, warnings: [] });
  });

  it("does not take the answer to an earlier request for that of a later one", async () => {
    const sendAgain = async (): Promise<void> => {
      await unwrap(store.journal.advance("i-1", { from: ["submitting"], to: "not_placed", unsend: true }, NOW));
      await unwrap(store.journal.advance("i-1", { from: ["not_placed"], to: "approved" }, NOW));
      const send = { from: ["approved"], to: "submitting", nonce: "8", held: HELD, unit: "KRW" as const } as const;
      await unwrap(
        store.journal.begin(
          "i-1",
          send,
          () => undefined,
          () => NOW,
        ),
      );
    };
    venue.submit = answering(failed(REFUSED), sendAgain);
    expect((await submit(await recorded())).intent).toMatchObject({ state: "submitting", nonce: "8" });
    expect(await current()).toMatchObject({ state: "submitting", nonce: "8", held: HELD });
  });

  it("is not open again where another has requested its cancel meanwhile", async () => {
    const cancel = async (): Promise<void> => {
      const { orderId } = sample;
      await unwrap(store.journal.advance("i-1", { from: ["submitting"], to: "accepted", orderId }, NOW));
      await unwrap(store.journal.advance("i-1", { from: ["accepted"], to: "cancel_requested" }, NOW));
    };
    venue.submit = answering(ok(sample), cancel);
    await submit(await recorded());
    expect((await current()).state).toBe("cancel_requested");
  });

  it("shows what the exchange has answered where another has moved it on meanwhile", async () => {
    const cancel = () =>
      store.journal.advance("i-1", { from: ["submitting"], to: "canceled", orderId: sample.orderId }, NOW);
    venue.submit = answering(ok(sample), cancel);
    expect((await submit(await recorded())).intent).toMatchObject({ state: "open", orderId: sample.orderId });
    expect((await current()).state).toBe("canceled");
  });
});

describe("who works on it", () => {
  const own = { id: "own", isGone: () => false };
  /** Until it is done with. */
  const still: DeskParts["clock"] = {
    now: () => NOW,
    rising: () => NOW,
    sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
  let leases: unknown[];
  let holder: string | undefined;

  beforeEach(() => {
    leases = [];
    journal = {
      ...store.journal,
      advance: (id, change, atMs) => {
        if (change.isLease === true) leases.push(change.lazy);
        return store.journal.advance(id, change, atMs);
      },
    };
    const { submit: send } = venue;
    venue.submit = async (...given) => {
      ({ holder } = (await current()).body);
      return send(...given);
    };
  });

  const steps = async (): Promise<readonly string[]> => {
    const rows = await unwrap(store.audit.recent({ limit: 10 }));
    return rows.map(({ event, detail }) => `${event} ${String(detail["to"])}`);
  };

  it("is its own process where another has left it over, which no line of the log and no wait for the disk is for", async () => {
    const { intent } = await submit(await recorded({ holder: "dead" }), allowed(), { presence: own, clock: still });
    expect([intent.state, holder, leases]).toEqual(["open", "own", [true]]);
    expect(await steps()).toEqual(["intent_moved open", "intent_moved submitting", "intent_recorded approved"]);
  });

  it("is not written down again where that is known", async () => {
    const { intent } = await submit(await recorded({ holder: "own" }), allowed(), { presence: own, clock: still });
    expect([intent.state, holder, leases]).toEqual(["open", "own", []]);
  });

  it("stays as it was where its process has no name", async () => {
    const { intent } = await submit(await recorded({ holder: "dead" }), allowed(), { clock: still });
    expect([intent.state, holder, leases]).toEqual(["open", "dead", []]);
  });
});

describe("where it is withdrawn", () => {
  const WITHDRAWN = expect.objectContaining({ code: "ELocal:Withdrawn" });
  /** How often it asked for its turn to be sent. */
  let turns: number;

  beforeEach(() => {
    turns = 0;
    const { submit: send } = venue;
    venue.submit = (...given) => {
      turns += 1;
      return send(...given);
    };
  });

  it("is not even assessed, where nothing was done with it before", async () => {
    const { intent } = await submit(await recorded(), undefined, { withdrawn: AbortSignal.abort() });
    expect([intent.state, intent.body.fault, looked, turns]).toEqual(["lapsed", WITHDRAWN, 0, 0]);
  });

  it("does not stand in line to be sent, where it is assessed meanwhile", async () => {
    const wanted = new AbortController();
    whileAssessed = () => wanted.abort();
    const { intent } = await submit(await recorded(), undefined, { withdrawn: wanted.signal });
    expect([intent.state, intent.body.fault, looked, turns]).toEqual(["lapsed", WITHDRAWN, 1, 0]);
  });

  it.each([true, undefined])("says so of what has left, and not of one that is wanted: %s", async (isWithdrawn) => {
    const wanted = new AbortController();
    venue.submit = answering(ok(sample), async () => isWithdrawn && wanted.abort());
    const { intent } = await submit(await recorded(), allowed(), { withdrawn: wanted.signal });
    expect([intent.state, intent.body.withdrawn]).toEqual(["open", isWithdrawn]);
  });

  it("does not say that it had left where its turn did not come", async () => {
    const wanted = new AbortController();
    venue.submit = async () => {
      wanted.abort();
      return failed(UNSENT);
    };
    const { intent } = await submit(await recorded(), allowed(), { withdrawn: wanted.signal });
    expect([intent.state, intent.body.withdrawn]).toEqual(["not_placed", undefined]);
  });
});

describe("once it is sent", () => {
  it("is what the exchange shows, and counts what it was valued at", async () => {
    const { intent } = await submit(await recorded());
    expect(intent).toMatchObject({ state: "open", nonce: "7", held: HELD, isLive: true, sentAtMs: NOW });
    expect(intent.body.seen).toEqual(sample);
    expect(await current()).toEqual(intent);
  });

  it("is unknown where the exchange answers with another order", async () => {
    venue.submit = answering(ok({ ...sample, volume: "9" }));
    const { intent } = await submit(await recorded());
    expect([intent.state, intent.body.fault?.code]).toEqual(["unknown", "ELocal:Wrong order"]);
  });

  it("is queried where the exchange has only given its id", async () => {
    venue.submit = answering(ok({ orderId: sample.orderId }));
    const partly = { ...sample, executed_volume: "0.005", remaining_volume: "0.01", executed_value: "475000" };
    venue.order = async () => ok(partly);
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.seen, warnings]).toEqual(["partially_filled", partly, []]);
    expect(intent.body.order.userref).toBe(USERREF);
    expect((await current()).state).toBe("partially_filled");
  });

  it.each([
    ["cannot be queried", LOST, "accepted", undefined],
    ["does not know it", { ...REFUSED, code: "EOrder:Unknown order" }, "unknown", "ELocal:Unknown order"],
  ] as const)("is told as known where the exchange then %s", async (_what, fault, state, code) => {
    venue.submit = answering(ok({ orderId: sample.orderId }));
    venue.order = async () => failed(fault);
    const { intent } = await submit(await recorded());
    expect([intent.state, intent.orderId, intent.body.fault?.code]).toEqual([state, sample.orderId, code]);
    if (code !== undefined) expect(intent.body.fault?.message).toContain("accepted this order earlier");
    expect((await current()).state).toBe("accepted");
  });

  it("is unknown where the exchange then shows another order under its id", async () => {
    venue.submit = answering(ok({ orderId: sample.orderId }));
    venue.order = async () => ok({ ...sample, volume: "9" });
    const { intent } = await submit(await recorded());
    expect([intent.state, intent.body.fault?.code]).toEqual(["unknown", "ELocal:Wrong order"]);
  });

  it("is rejected where the exchange refused it, and counts for nothing", async () => {
    venue.submit = answering(failed(REFUSED));
    const { intent } = await submit(await recorded());
    expect(intent).toMatchObject({ state: "rejected", held: "0", isLive: false, sentAtMs: NOW });
    expect(intent.body.fault).toEqual(REFUSED);
  });

  it("is not placed where no byte has left, and does not count as sent", async () => {
    venue.submit = answering(failed(UNSENT));
    const { intent } = await submit(await recorded());
    expect(intent).toMatchObject({ state: "not_placed", held: "0", isLive: false, sentAtMs: null });
  });

  it("is unknown without an answer, counts on, and is looked for", async () => {
    venue.submit = answering(failed(LOST));
    const { intent } = await submit(await recorded());
    expect(intent).toMatchObject({ state: "unknown", held: HELD, isLive: true, sentAtMs: NOW });
    const found = { kind: "found", item: [sample] } as const;
    venue.lookup = async () => ok(found);
    expect((await submit(intent)).intent).toMatchObject({ state: "open", orderId: sample.orderId });
    expect(sent).toBe(1);
  });

  it("is found behind its own nonce, right after the answer was lost", async () => {
    venue.submit = answering(failed(LOST));
    const asked: unknown[] = [];
    venue.lookup = async (_name, options) => {
      asked.push(options);
      return ok({ kind: "none", covers: EVERYWHERE, atMs: NOW });
    };
    expect((await submit(await recorded())).intent.state).toBe("not_placed");
    expect(asked).toEqual([{ afterNonce: "7" }]);
  });

  it("is told as the exchange answered where that cannot be stored", async () => {
    journal = { ...store.journal, advance: storeBroken };
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.orderId]).toEqual(["open", sample.orderId]);
    expect(warnings).toEqual([expect.stringMatching(/could not be stored: ./)]);
    expect((await current()).state).toBe("submitting");
  });

  it("is told as refused where that cannot be stored, though the store still has it as sent", async () => {
    journal = { ...store.journal, advance: storeBroken };
    venue.submit = answering(failed(REFUSED));
    const { intent, warnings } = await submit(await recorded());
    expect([intent.state, intent.body.fault, warnings.length]).toEqual(["rejected", REFUSED, 1]);
  });
});
