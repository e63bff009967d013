import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CreateOrderBody, Order } from "../../src/contract/index.ts";
import {
  canMove,
  createIds,
  INTENT_MOVES,
  INTENT_STATES,
  type IntentState,
  isOrderOf,
  isUnresolved,
  orderDigest,
} from "../../src/desk/index.ts";

const TERMINAL: readonly IntentState[] = ["used", "lapsed", "accepted", "rejected"];
const states = fc.constantFrom(...INTENT_STATES);

describe("the life of an intent", () => {
  it("has an end that nothing leaves", () => {
    expect(INTENT_STATES.filter((state) => INTENT_MOVES[state].length === 0)).toEqual(TERMINAL);
  });

  it("passes through a recorded nonce on every way to the venue, and never skips back to sending", () => {
    fc.assert(
      fc.property(fc.array(states, { maxLength: 30 }), (wishes) => {
        let state = "recorded" as IntentState;
        const path: IntentState[] = [state];
        for (const wish of wishes) {
          if (!canMove(state, wish)) continue;
          expect(TERMINAL).not.toContain(state);
          state = wish;
          path.push(state);
        }
        path.forEach((each, index) => {
          const before = path[index - 1];
          if (each === "submitting") expect(before).toBe("recorded");
          if (["accepted", "rejected", "unknown"].includes(each)) expect(["submitting", "unknown"]).toContain(before);
          if (each === "recorded" && index > 0) expect(before).toBe("not_placed");
        });
        // Between two sendings lies the proof that the first had no effect.
        const sendings = path.filter((each) => each === "submitting").length;
        const proofs = path.filter((each) => each === "not_placed").length;
        expect(sendings).toBeLessThanOrEqual(proofs + 1);
      }),
      { numRuns: 500 },
    );
  });

  it("does not move from a state to itself, nor between drafts and orders", () => {
    const drafts: readonly IntentState[] = ["draft", "used", "lapsed"];
    for (const from of INTENT_STATES)
      for (const to of INTENT_MOVES[from]) {
        expect(to).not.toBe(from);
        expect(drafts.includes(from)).toBe(drafts.includes(to));
      }
  });

  it("counts as unresolved exactly while the venue may know more than we do", () => {
    expect(INTENT_STATES.filter(isUnresolved)).toEqual(["submitting", "unknown"]);
  });
});

describe("ids", () => {
  it("are UUIDv7 in order of time, and userrefs the service takes, never the same twice", () => {
    let now = 1_784_538_000_000;
    const ids = createIds({ now: () => now, sleep: async () => {} }, randomBytes);
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
