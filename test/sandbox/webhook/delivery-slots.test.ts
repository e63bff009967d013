import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeliverySlots, IN_FLIGHT_MAX } from "../../../src/sandbox/webhook/delivery-slots.ts";

const step = fc.record({ endpoint: fc.nat({ max: 39 }), isAccepted: fc.boolean(), ends: fc.boolean() });

describe("the slots for deliveries in flight", () => {
  it("are bounded for one endpoint and in all, and half of them are never taken by endpoints that do not answer", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const slots = new DeliverySlots();
        const inFlight = new Map<string, number>();
        const answering = new Set<string>();
        const failures = new Map<string, number>();
        const sum = (counts: readonly (readonly [string, number])[]) =>
          counts.reduce((all, [, count]) => all + count, 0);
        for (const { endpoint, isAccepted, ends } of steps) {
          const webhookId = `wh_${endpoint}`;
          const own = inFlight.get(webhookId) ?? 0;
          if (ends && own > 0) {
            slots.end(webhookId, isAccepted);
            inFlight.set(webhookId, own - 1);
            const inARow = isAccepted ? 0 : (failures.get(webhookId) ?? 0) + 1;
            failures.set(webhookId, inARow);
            if (isAccepted) answering.add(webhookId);
            else if (inARow >= 4) answering.delete(webhookId);
            continue;
          }
          const silent = sum([...inFlight].filter(([id]) => !answering.has(id)));
          const most =
            own < ((failures.get(webhookId) ?? 0) < 4 ? 4 : 1) &&
            (answering.has(webhookId) || silent < IN_FLIGHT_MAX / 2);
          const isFree = most && sum([...inFlight]) < IN_FLIGHT_MAX;
          expect(slots.isFree(webhookId)).toBe(isFree);
          if (!isFree) continue;
          slots.begin(webhookId);
          inFlight.set(webhookId, own + 1);
        }
      }),
    );
  });

  it("go first to the endpoint with the fewest in flight, then to the one served longest ago", () => {
    const slots = new DeliverySlots();
    const endpoints = ["a", "b", "c"].map((webhookId) => ({ webhookId }));
    const order = (among = endpoints) => slots.inTurn(among).map(({ webhookId }) => webhookId);
    expect(order()).toEqual(["a", "b", "c"]);
    for (const webhookId of ["a", "c"]) slots.begin(webhookId);
    expect(order()).toEqual(["b", "a", "c"]);
    slots.end("a", true);
    expect(order()).toEqual(["b", "a", "c"]);
    for (const webhookId of ["a", "a", "b"]) slots.begin(webhookId);
    expect(order()).toEqual(["c", "b", "a"]);
    // An endpoint that was removed starts over.
    slots.end("c", true);
    expect(order(endpoints.slice(0, 2))).toEqual(["b", "a"]);
    for (const webhookId of ["b", "a", "a"]) slots.end(webhookId, true);
    expect(order()).toEqual(["c", "a", "b"]);
  });
});
