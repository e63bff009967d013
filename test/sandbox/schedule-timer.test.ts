import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/index.ts";
import type { PlaceCommand } from "../../src/sandbox/model/index.ts";
import { order } from "./engine/exchange-kit.ts";
import { must, openVenue, START, type Venue } from "./http/venue.ts";

/** `START` is six in the evening in Korea. */
const MIDNIGHT = START + 6 * 3_600_000;
const COIN = 100_000_000n;

let dir: string;
let venue: Venue;
const open = async (options: SandboxOptions = {}) => {
  venue = await openVenue({ dir, ...options });
};
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-time-"));
  await open();
});
afterEach(async () => {
  await venue.sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

const give = (terms: Parameters<typeof order>[0]): PlaceCommand => {
  const command = order(terms);
  must(venue.sandbox.exchange.apply(command, venue.clock.now));
  return command;
};
/** The maker account sells with settlement on the next day. */
function sell(): void {
  give({ accountId: venue.sandbox.accountId, side: "buy", price: 1_000_000n * COIN, volume: COIN / 100n });
  give({ accountId: "maker", side: "sell", volume: COIN / 100n, settlementMode: "STANDARD_KRW" });
}
const settled = () => venue.sandbox.exchange.settlements("maker").map(({ state }) => state);
const soon = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 10 });

describe("an exchange without calls and without a market flow", () => {
  it("settles", async () => {
    sell();
    expect(settled()).toEqual(["pending"]);
    venue.clock.now = MIDNIGHT;
    await soon(() => expect(settled()).toEqual(["settled"]));
  });

  it("settles after a restart what became due meanwhile", async () => {
    sell();
    await venue.sandbox.close();
    const later = MIDNIGHT + 3_600_000;
    await open({ now: () => later });
    await soon(() => expect(settled()).toEqual(["settled"]));
    expect(venue.sandbox.exchange.settlements("maker")).toMatchObject([{ dueAt: MIDNIGHT, endedAt: later }]);
  });

  const rest = () => give({ accountId: "maker", side: "sell", price: 2_000_000n * COIN, volume: COIN / 100n }).orderId;
  const stateOf = (orderId: string) => venue.sandbox.exchange.order("maker", orderId)?.state;
  const arm = (timeoutMs: number) =>
    must(venue.sandbox.exchange.apply({ type: "armCancelTimer", accountId: "maker", timeoutMs }, venue.clock.now));

  it("cancels the orders of an account whose cancel timer was not armed again, soon after it is due", async () => {
    const orderId = rest();
    arm(10_000);
    venue.clock.now += 9_999;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(stateOf(orderId)).toBe("open");
    venue.clock.now += 1;
    const dueAt = performance.now();
    await soon(() => expect(stateOf(orderId)).toBe("canceled"));
    // 200 ms on an idle machine.
    expect(performance.now() - dueAt).toBeLessThan(2_000);
    expect(venue.sandbox.exchange.order("maker", orderId)?.reason).toBe("cancel_timer");
  });

  it("uses its own clock, also after a restart, for what is due", async () => {
    sell();
    must(venue.sandbox.exchange.apply({ type: "advanceClock", byMs: 86_400_000 }, venue.clock.now));
    expect(settled()).toEqual(["settled"]);
    const time = async () => (await venue.paper.get("/v1/time")).json.unix_ms;
    expect(await time()).toBe(START + 86_400_000);
    arm(10_000);
    const orderId = rest();
    await venue.sandbox.close();
    await open({ now: () => START + 10_000 });
    expect(await time()).toBe(START + 86_400_000 + 10_000);
    await soon(() => expect(stateOf(orderId)).toBe("canceled"));
  });

  it("cancels them also after a restart", async () => {
    const orderId = rest();
    arm(10_000);
    await venue.sandbox.close();
    await open({ now: () => START + 10_000 });
    await soon(() => expect(stateOf(orderId)).toBe("canceled"));
  });
});
