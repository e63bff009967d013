import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lanes, UNDERWAY_MAX } from "../../../src/sandbox/webhook/lanes.ts";

const step = fc.record({ endpoint: fc.nat({ max: 39 }), isTaken: fc.boolean(), ends: fc.boolean() });

describe("the room for deliveries on their way", () => {
  it("is bounded for one endpoint and in all, and half of it is never had by those that do not answer", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const lanes = new Lanes();
        const underway = new Map<string, number>();
        const answering = new Set<string>();
        const sum = (counts: readonly (readonly [string, number])[]) =>
          counts.reduce((all, [, count]) => all + count, 0);
        for (const { endpoint, isTaken, ends } of steps) {
          const webhookId = `wh_${endpoint}`;
          const own = underway.get(webhookId) ?? 0;
          if (ends && own > 0) {
            lanes.end(webhookId, isTaken);
            underway.set(webhookId, own - 1);
            if (isTaken) answering.add(webhookId);
            else answering.delete(webhookId);
            continue;
          }
          const silent = sum([...underway].filter(([id]) => !answering.has(id)));
          const most = answering.has(webhookId) ? own < 4 : own === 0 && silent < UNDERWAY_MAX / 2;
          const hasRoom = most && sum([...underway]) < UNDERWAY_MAX;
          expect(lanes.hasRoom(webhookId)).toBe(hasRoom);
          if (!hasRoom) continue;
          lanes.begin(webhookId);
          underway.set(webhookId, own + 1);
        }
      }),
    );
  });

  it("is given first to who has the least of it, then to who was served longest ago", () => {
    const lanes = new Lanes();
    const endpoints = ["a", "b", "c"].map((webhookId) => ({ webhookId }));
    const order = (among = endpoints) => lanes.inTurn(among).map(({ webhookId }) => webhookId);
    expect(order()).toEqual(["a", "b", "c"]);
    for (const webhookId of ["a", "c"]) lanes.begin(webhookId);
    expect(order()).toEqual(["b", "a", "c"]);
    lanes.end("a", true);
    expect(order()).toEqual(["b", "a", "c"]);
    for (const webhookId of ["a", "a", "b"]) lanes.begin(webhookId);
    expect(order()).toEqual(["c", "b", "a"]);
    // One that was removed begins anew.
    lanes.end("c", true);
    expect(order(endpoints.slice(0, 2))).toEqual(["b", "a"]);
    for (const webhookId of ["b", "a", "a"]) lanes.end(webhookId, true);
    expect(order()).toEqual(["c", "a", "b"]);
  });
});
