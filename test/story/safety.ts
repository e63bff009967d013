/** The part of the story in which hoga says no, keeps a timer, tells what it did, and is stopped. */
import { expect } from "vitest";
import { localMoments } from "../../src/words/index.ts";
import { decimal, units } from "./figures.ts";
import { ordersOf } from "./ledger.ts";
import { restingPrice } from "./resting-price.ts";
import type { OpenSeen, OrderSeen, PlacedSeen, PreviewSeen, Teller } from "./teller.ts";

interface AuditSeen {
  readonly entries: readonly {
    readonly seq: number;
    readonly event: string;
    readonly orderId: string | null;
    readonly detail: { readonly to?: string };
  }[];
}

interface RefusedSeen {
  readonly outcome: string;
  readonly state: string;
  readonly error: { readonly code: string; readonly rule: string; readonly figure: string; readonly limit: string };
}

/** Every step of an order that was previewed, placed, waited for and canceled. */
export async function lookAtSteps(teller: Teller, { orderId, userref }: OrderSeen): Promise<void> {
  const { content, text } = await teller.tell<AuditSeen>("get_audit_log", { order_id: orderId, limit: 100 });
  const states = content.entries.flatMap(({ detail }) => detail.to ?? []).reverse();
  expect(states).toEqual(["approved", "submitting", "open", "cancel_requested", "canceled"]);
  expect(text).toContain("Allowed by policy, without asking a person: ");
  expect(text).not.toContain("Approved by a person");
  const named = await teller.tell<AuditSeen>("get_audit_log", { userref });
  expect(named.content).toEqual(content);
  const newest = await teller.tell<AuditSeen>("get_audit_log", { limit: 3 });
  expect(newest.content.entries).toHaveLength(3);
  const nobody = await teller.tell<AuditSeen>("get_audit_log", { userref: "nobody" });
  expect(nobody.content.entries).toEqual([]);
}

export async function setTimer(teller: Teller): Promise<void> {
  const startedAt = Date.now();
  const { content } = await teller.tell<{ readonly fires_at: string }>("set_cancel_timer", { timeout_s: 600 });
  const seconds = (Date.parse(content.fires_at) - startedAt) / 1_000;
  expect(seconds).toBeGreaterThan(595);
  expect(seconds).toBeLessThan(620);
  const on = await teller.tell("get_desk_status");
  expect(on.content).toMatchObject({ cancel_timer_fires_at: content.fires_at });
  const { timezone } = on.content["now"] as { readonly timezone: string };
  expect(on.text).toContain(localMoments(`canceled at ${content.fires_at}`, timezone));
  expect((await teller.tell("set_cancel_timer", { timeout_s: 0 })).content).toMatchObject({ fires_at: null });
  expect((await teller.tell("get_desk_status")).content).toMatchObject({ cancel_timer_fires_at: null });
  await teller.refused("set_cancel_timer", { timeout_s: 4 });
}

/** More than the policy allows: told by the preview and by the order, with what it counts for and the limit. */
export async function beDenied(teller: Teller, limit: string): Promise<void> {
  const price = await restingPrice(teller, "BTC/KRW", 100_000n);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.1", price };
  const figure = decimal(units(price) / 10n);
  const preview = await teller.tell<PreviewSeen>("preview_order", order);
  expect(preview.content).toMatchObject({ valid: false, policy: { verdict: "denied", value: figure } });
  expect(preview.content.problems).toContainEqual(expect.objectContaining({ rule: "order_size", figure, limit }));
  const before = await ordersOf(teller, 100);
  const { content, text } = await teller.refused<RefusedSeen>("place_order", order);
  expect(content).toMatchObject({ outcome: "not_sent", state: "denied" });
  expect(content.error).toMatchObject({ code: "ELocal:Denied by policy", rule: "order_size", figure, limit });
  for (const words of [won(figure), `max_order_krw ${won(limit)}`]) expect(text).toContain(words);
  expect(await ordersOf(teller, 100)).toEqual(before);
}

/** What is open is canceled, and from then on no order leaves; looking goes on. */
export async function haltTrading(teller: Teller): Promise<void> {
  const price = await restingPrice(teller, "BTC/KRW", 100_000n);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price };
  const { orderId } = (await teller.tell<PlacedSeen>("place_order", order)).content.order;
  const halted = await teller.tell("halt_trading", { reason: "the story is told" });
  expect(halted.content).toMatchObject({ brake: "everywhere", canceled: 1, remaining: 0, unresolved: [] });
  expect(halted.content["results"]).toEqual([{ orderId, symbol: "BTC/KRW", state: "canceled" }]);
  expect(halted.text).toContain("HALTED in every process");
  const { content, text } = await teller.refused<RefusedSeen>("place_order", order);
  expect(content).toMatchObject({ outcome: "not_sent", state: "denied", error: { code: "ELocal:Trading halted" } });
  expect(text).toContain('"the story is told"');
  expect((await teller.tell<OpenSeen>("get_open_orders")).content.orders).toEqual([]);
  const status = await teller.tell("get_desk_status");
  expect(status.content).toMatchObject({ can_trade: false, brake: { reason: "the story is told", by: "assistant" } });
  expect(status.text).toContain("HALTED since");
}

/** As texts show it. */
function won(sum: string): string {
  return `₩${sum.replaceAll(/\B(?=(\d{3})+$)/g, ",")}`;
}
