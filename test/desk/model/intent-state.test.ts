import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CreateOrderBody, localFault, type Order } from "../../../src/contract/index.ts";
import {
  canMove,
  createIds,
  INTENT_MOVES,
  INTENT_STATES,
  type IntentRecord,
  type IntentState,
  isAtVenue,
  isLive,
  isOrderOf,
  isUnresolved,
  orderDigest,
} from "../../../src/desk/index.ts";
import { sourcesOf, stateShownBy } from "../../../src/desk/model/intent-state.ts";
import { intentReport } from "../../../src/desk/model/order-report.ts";

const TERMINAL: readonly IntentState[] = ["used", "denied", "lapsed", "filled", "canceled", "expired", "rejected"];
const UNSENT: readonly IntentState[] = ["draft", "used", "awaiting_approval", "approved"];
const NEVER_SENT: readonly IntentState[] = ["draft", "used", "awaiting_approval", "denied", "lapsed", "not_placed"];
const LIVE: readonly IntentState[] = ["accepted", "open", "partially_filled", "cancel_requested"];
const AT_VENUE: readonly IntentState[] = [...LIVE, "filled", "canceled", "expired"];
const UNRESOLVED: readonly IntentState[] = ["submitting", "unknown"];
const among = (those: readonly IntentState[]) => INTENT_STATES.filter((state) => those.includes(state));

/** A life as random choices among the permitted moves make it; over a person's word alone the venue may show what was sent. */
const lives = fc.tuple(
  fc.constantFrom<IntentState>("draft", "awaiting_approval", "approved"),
  fc.array(fc.nat({ max: 1_000 }), { maxLength: 30 }),
);

function pathOf([first, choices]: [IntentState, readonly number[]]): readonly IntentState[] {
  const path = [first];
  for (const choice of choices) {
    const wasSent = UNRESOLVED.includes(path.at(-2) ?? first);
    const [last = first] = path.slice(-1);
    const moves = INTENT_MOVES[last].filter((to) => last !== "not_placed" || wasSent || !AT_VENUE.includes(to));
    path.push(...moves.slice(choice % (moves.length || 1)).slice(0, 1));
  }
  return path;
}

describe("the life of an intent", () => {
  it("has an end that nothing leaves", () => {
    expect(INTENT_STATES.filter((state) => INTENT_MOVES[state].length === 0)).toEqual(among(TERMINAL));
    fc.assert(
      fc.property(lives, (life) => {
        const path = pathOf(life);
        expect(path.slice(0, -1).filter((state) => TERMINAL.includes(state))).toEqual([]);
      }),
    );
  });

  it("leads to each state only from where that is known to be true", () => {
    expect(sourcesOf("submitting")).toEqual(["approved"]);
    expect(sourcesOf("unknown")).toEqual(UNRESOLVED);
    expect(sourcesOf("approved")).toEqual(["awaiting_approval", "approved", "not_placed"]);
    expect(sourcesOf("awaiting_approval")).toEqual(["not_placed"]);
    expect(sourcesOf("rejected")).toEqual([...UNRESOLVED, "accepted"]);
    for (const to of AT_VENUE)
      expect(sourcesOf(to).filter((from) => ![...UNRESOLVED, ...LIVE, "not_placed"].includes(from))).toEqual([]);
    // What was sent is taken for not sent on one proof only.
    for (const to of NEVER_SENT.filter((state) => state !== "not_placed"))
      expect(sourcesOf(to).filter((from) => ![...UNSENT, "not_placed"].includes(from))).toEqual([]);
  });

  it("passes through a recorded nonce on every way to the venue, and never skips back to sending", () => {
    fc.assert(
      fc.property(lives, (life) => {
        const path = pathOf(life);
        const venue = path.findIndex((each) => AT_VENUE.includes(each) || each === "rejected" || each === "unknown");
        if (venue >= 0) expect(path.slice(0, venue)).toContain("submitting");
        // Between two sendings lies the proof that the first had no effect.
        const between = path.join(" ").split("submitting").slice(1, -1);
        for (const part of between) expect(part).toContain("not_placed");
        // After the venue has shown it, there is no way back to sending.
        const shown = path.findIndex((each) => AT_VENUE.includes(each));
        if (shown >= 0)
          expect(path.slice(shown).filter((each) => !AT_VENUE.includes(each) && each !== "rejected")).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is not placed after sending on proof or a person's word alone, and only then asked for again or shown after all", () => {
    expect(INTENT_STATES.filter((from) => canMove(from, "not_placed"))).toEqual(["approved", "submitting", "unknown"]);
    const shown = ["open", "partially_filled", "filled", "canceled", "expired"];
    expect(INTENT_MOVES.not_placed).toEqual(["awaiting_approval", "approved", ...shown]);
    for (const state of UNRESOLVED)
      expect(INTENT_MOVES[state].filter((to) => NEVER_SENT.includes(to) || to === "approved")).toEqual(["not_placed"]);
  });

  it("needs a yes for what waits for one, which no other way leads around", () => {
    expect(INTENT_MOVES.awaiting_approval).toEqual(["approved", "denied", "lapsed"]);
  });

  it("moves to itself only where more of it has executed or more is known of it, and never between drafts and orders", () => {
    const drafts: readonly IntentState[] = ["draft", "used"];
    const moves = INTENT_STATES.flatMap((from) => INTENT_MOVES[from].map((to) => ({ from, to })));
    expect(moves.filter(({ from, to }) => from === to)).toEqual([
      { from: "approved", to: "approved" },
      { from: "unknown", to: "unknown" },
      { from: "partially_filled", to: "partially_filled" },
    ]);
    expect(moves.filter(({ from, to }) => drafts.includes(from) || drafts.includes(to))).toEqual([
      { from: "draft", to: "used" },
      { from: "draft", to: "lapsed" },
    ]);
  });

  it("is sorted into unresolved, live and at the venue without gap or overlap", () => {
    expect(INTENT_STATES.filter(isUnresolved)).toEqual(UNRESOLVED);
    expect(INTENT_STATES.filter(isLive)).toEqual(LIVE);
    expect(INTENT_STATES.filter(isAtVenue)).toEqual(AT_VENUE);
    for (const state of LIVE) expect(INTENT_MOVES[state]).not.toEqual([]);
  });
});

describe("an order that the venue shows", () => {
  it.each(["filled", "canceled", "expired"] as const)(
    "counts as that when shown as %s, whatever has executed",
    (state) => {
      for (const executed_volume of ["0", "0.5"]) expect(stateShownBy({ state, executed_volume })).toBe(state);
    },
  );

  it("counts as open when shown as open, until some of it has executed", () => {
    for (const executed_volume of ["0", "0.00000000", ""])
      expect(stateShownBy({ state: "open", executed_volume })).toBe("open");
    for (const executed_volume of ["0.00000001", "10", "0.50"])
      expect(stateShownBy({ state: "open", executed_volume })).toBe("partially_filled");
  });
});

describe("an intent in a report", () => {
  const stamp = { environment: "sandbox", account: "paper", unit: "KRW" } as const;
  const approval = { digest: "", priceSeen: "1", value: "1", unit: "KRW" as const, why: "it is large", expiresAtMs: 0 };
  const record = (state: IntentState): IntentRecord => ({
    intentId: "i-1",
    account: "paper",
    userref: "u-1",
    state,
    nonce: null,
    orderId: null,
    body: {
      order: body,
      environment: "sandbox",
      keyId: "k",
      digest: "",
      fault: localFault("ELocal:No answer"),
      approval,
    },
    createdAtMs: 0,
    updatedAtMs: 0,
    held: "0",
    isLive: false,
    unit: "KRW" as const,
    sentAtMs: null,
  });

  it.each(INTENT_STATES)("%s is told in words that claim no more and no less than is known", (state) => {
    const report = intentReport(stamp, record(state));
    const told = { outcome: report.outcome, state: report.state };
    if (AT_VENUE.includes(state)) expect(told).toEqual({ outcome: "accepted", state });
    else if (state === "rejected") expect(told).toEqual({ outcome: "rejected", state: "rejected" });
    // Sent, or let through, in which case another process may be sending it right now.
    else if (state === "approved") expect(told).toEqual({ outcome: "unknown", state: "not_sent_yet" });
    else if (UNRESOLVED.includes(state)) expect(told).toEqual({ outcome: "unknown", state: "unknown" });
    else {
      expect(NEVER_SENT).toContain(state);
      expect(report.outcome).toBe("not_sent");
      expect(["denied", "awaiting_approval"].includes(state) ? state : "not_placed").toBe(report.state);
    }
    expect(report.error === undefined).toBe(AT_VENUE.includes(state));
    expect(report.approval !== undefined).toBe(state === "awaiting_approval");
    if (report.outcome === "unknown") expect(report.next_action).toMatch(/could double it/);
  });
});

describe("ids", () => {
  it("are UUIDv7 in order of time, and userrefs the service takes, never the same twice", () => {
    let now = 1_784_538_000_000;
    const ids = createIds({ now: () => now, rising: () => now, sleep: async () => {} }, randomBytes);
    const intents: string[] = [];
    const refs = new Set<string>();
    for (let round = 0; round < 2_000; round++, now++) {
      intents.push(ids.intentId());
      refs.add(ids.userref());
    }
    for (const id of intents)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...intents].sort()).toEqual(intents);
    expect(refs.size).toBe(2_000);
    for (const ref of refs) expect(ref).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  });
});

const body = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  volume: "0.010",
  price: "100000000",
  userref: "u-1",
} as const satisfies CreateOrderBody;

describe("the digest of an order", () => {
  it("changes with every field, the account and the environment, and not with the order of fields", () => {
    const digest = (order: CreateOrderBody, account = "a", environment: "sandbox" | "live" = "live") =>
      orderDigest(order, account, environment);
    const others = [
      digest({ ...body, price: "100001000" }),
      digest({ ...body, volume: "0.01" }),
      digest({ ...body, side: "sell" }),
      digest({ ...body, userref: "u-2" }),
      digest({ ...body, post_only: false }),
      digest(body, "b"),
      digest(body, "a", "sandbox"),
    ];
    expect(new Set([digest(body), ...others]).size).toBe(others.length + 1);
    const turned = Object.fromEntries(Object.entries(body).reverse()) as unknown as CreateOrderBody;
    expect(digest(turned)).toBe(digest(body));
  });
});

describe("recognising an order", () => {
  const shown = { ...body, volume: "0.01000000", amount: null } as unknown as Order;
  it("goes by every field that is asked for, numbers by value", () => {
    expect(isOrderOf(shown, body)).toBe(true);
    for (const other of [
      { price: "100001000" },
      { volume: "0.02" },
      { side: "sell" },
      { userref: null },
      { symbol: "ETH/KRW" },
      { amount: "5000" },
      { price: null },
    ])
      expect(isOrderOf({ ...shown, ...other } as Order, body)).toBe(false);
  });
});
