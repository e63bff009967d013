import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../../../src/contract/fault.ts";
import { venueFault } from "../../../src/contract/index.ts";
import { LOCAL_FAULTS, type LocalFaultCode, localFault } from "../../../src/contract/result.ts";
import { INTENT_STATES, type IntentRecord, type OrderRequest, type WriteReport } from "../../../src/desk/index.ts";
import { deniedOrder, intentReport } from "../../../src/desk/model/order-report.ts";
import { type FaultKind, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

/** What a model reads as "once more, now". What is said not to be done may be said. */
const INVITES =
  /\b(try|send|submit|ask|repeat|call) (it |this |that |the (order|request|call) )?(again|anew|once more)|\bretry\b/i;
const STAMP = { environment: "sandbox", account: "paper", unit: "KRW" } as const;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

const faults = [
  ...FAULT_CODES.map((code) => venueFault(code)),
  ...FAULT_CODES.map((code) => venueFault(code, { reachedVenue: "unknown" })),
  ...(Object.keys(LOCAL_FAULTS) as LocalFaultCode[]).map((code) => localFault(code)),
];

function wordsOf({ next_action, error, warnings }: WriteReport): string {
  return [next_action, error?.message, ...warnings].join(" | ");
}

function intentIn(state: IntentRecord["state"], fault: (typeof faults)[number]): IntentRecord {
  const sent = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "100000000" } as const;
  const body = { order: sent, environment: "sandbox", keyId: "k", digest: "d", fault } as const;
  const made = {
    nonce: "1",
    orderId: null,
    createdAtMs: 1,
    updatedAtMs: 1,
    held: "0",
    isLive: false,
    unit: "KRW" as const,
    sentAtMs: null,
  };
  return { intentId: "i", account: "paper", userref: "u", state, body, ...made };
}

openWorldPerTest();

describe("what is said of an order that was asked for", () => {
  it("never invites to send it again, whatever the fault and the state", () => {
    for (const fault of faults) {
      expect(wordsOf(deniedOrder(STAMP, fault))).not.toMatch(INVITES);
      for (const state of INTENT_STATES)
        expect(wordsOf(intentReport(STAMP, intentIn(state, fault)))).not.toMatch(INVITES);
    }
  });

  it.each(["stale_nonce", "limited", "busy", "html"] as const)(
    "never does when a question before it fails: %s",
    async (kind: FaultKind) => {
      world.proxy.plan(/^GET \/v1\/accounts/, kind, 99);
      const report = await seat.desk.place(order);
      expect(report).toMatchObject({ outcome: "not_sent" });
      expect(wordsOf(report)).not.toMatch(INVITES);
      expect(wordsOf(report)).toContain("Nothing was sent");
    },
  );

  it("does not say that a nonce refused had no effect, where the order is at the venue", async () => {
    world.proxy.plan(ORDER_POST, "stale_nonce");
    world.proxy.plan(/^GET \/v1\/orders\?.*userref=/, "deny", 99);
    const report = await seat.desk.place(order);
    expect(world.orders()).toHaveLength(1);
    expect(report).toMatchObject({ outcome: "unknown", error: { code: "EAPI:Invalid nonce", retryable: false } });
    expect(wordsOf(report)).not.toMatch(/no effect/);
    expect(wordsOf(report)).toMatch(/may have taken effect/);
  });
});
