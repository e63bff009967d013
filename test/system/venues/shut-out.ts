/** Tests of a desk whose calls an exchange refuses for their number or their time. Source: architecture.md#rule-5. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import type { Exchange } from "./exchanges.ts";
import { elsewhere, expectOpenQuestion, type Stage } from "./stage.ts";

export function testShutOut({ title, overTheRate, windowMs }: Exchange, on: () => Stage): void {
  if (overTheRate === "shut_out") testBan(title, on);
  else if (overTheRate === "refused") testOverTheRate(title, on);
  else testUnclearRefusal(title, on);
  if (windowMs !== undefined) testTime(title, windowMs, on);
}

function testBan(title: string, on: () => Stage): void {
  describe(`a desk that ${title} shuts out`, () => {
    it("sends nothing until that is over, cancels neither, and says so", async () => {
      const { world, behind } = on();
      await behind.place("rests", elsewhere());
      await world.plan({ kind: "ban", status: 418, for_ms: 60_000 });
      const first = await behind.place("first", elsewhere());
      expect(first).toMatchObject({ outcome: "not_sent", error: { code: "EAPI:Rate limit exceeded" } });
      // Whatever came now would be taken.
      await world.heal();
      expect(await behind.place("second", elsewhere())).toMatchObject({ outcome: "not_sent" });
      const cancel = await behind.call("cancel_order", { userref: "rests" });
      expect(cancel).toMatchObject({ outcome: "not_sent", isError: true });
      expect(cancel.error?.message).toMatch(/shut .* out/i);
      const status = await behind.call("get_desk_status");
      expect(status).toMatchObject({ can_trade: false, isError: true });
      expect(status.error?.message).toMatch(/shut .* out/i);
      expect(["first", "second", "rests"].map((name) => behind.at(name).length)).toEqual([0, 0, 1]);
      expect(behind.at("rests")).toMatchObject([{ state: "open" }]);
    });
  });
}

function testOverTheRate(title: string, on: () => Stage): void {
  describe(`an order over the rate of ${title}`, () => {
    it("was not placed, keeps no cancel back, and is taken once it is asked for again", async () => {
      const { world, behind } = on();
      await behind.place("rests", elsewhere());
      await world.plan({ kind: "ban", status: 429, for_ms: 2_000 });
      const where = elsewhere();
      const first = await behind.place("over", where);
      expect(first).toMatchObject({ outcome: "not_sent", error: { code: "EAPI:Rate limit exceeded" } });
      expect(behind.at("over")).toEqual([]);
      await world.heal();
      const cancel = await behind.call("cancel_order", { userref: "rests" });
      expect(cancel).toMatchObject({ outcome: "accepted" });
      const taken = await eventually(async () => {
        const said = await behind.place("over", where);
        expect(["accepted", "not_sent"]).toContain(said.outcome);
        return said.outcome === "accepted" ? said : undefined;
      });
      expect(taken).toMatchObject({ state: "open", userref: "over" });
      expect(behind.at("over")).toMatchObject([{ state: "open" }]);
      expect(await behind.call("cancel_all_orders")).toMatchObject({ canceled: 1, remaining: 0 });
      expect(behind.at("rests")).toMatchObject([{ state: "canceled" }]);
    });
  });
}

/** Where nothing says that an order over the rate was not taken, only a look-up does. */
function testUnclearRefusal(title: string, on: () => Stage): void {
  describe(`an order over the rate of ${title}`, () => {
    it.each([
      ["taken", true],
      ["not taken", false],
    ])("keeps no cancel back, is never sent again, and is looked up: %s", async (what, applied) => {
      const { world, behind } = on();
      const [rests, over, where] = [`rests-${applied}`, `over-${applied}`, elsewhere()];
      await behind.place(rests, elsewhere());
      const fault = { kind: "odd_answer", status: 429, applied, content_type: "application/json" };
      await world.plan({ ...fault, body: '{"error":{"name":"too_many_requests","message":"no"}}' });
      const told = await behind.place(over, where);
      if (applied) expect(told).toMatchObject({ outcome: "accepted", state: "open" });
      else expectOpenQuestion(told);
      expect([what, behind.at(over).length]).toEqual([what, applied ? 1 : 0]);
      expect(await behind.call("cancel_order", { userref: rests })).toMatchObject({ outcome: "accepted" });
      expect(await behind.place(over, where)).toMatchObject({ outcome: applied ? "accepted" : "unknown" });
      expect(behind.at(over).length).toBe(applied ? 1 : 0);
      expect(await behind.call("cancel_all_orders")).toMatchObject({ remaining: 0 });
      expect(behind.at(rests)).toMatchObject([{ state: "canceled" }]);
    });
  });
}

function testTime(title: string, windowMs: number, on: () => Stage): void {
  describe(`an order whose time is not that of ${title}`, () => {
    it("was not placed, and is taken once it is asked for again", async () => {
      const { world, behind } = on();
      const where = elsewhere();
      await world.plan({ kind: "clock_skew", ms: 120_000 });
      expect(await behind.place("mistimed", where)).toMatchObject({ outcome: "not_sent" });
      expect(behind.at("mistimed")).toEqual([]);
      expect(await behind.place("mistimed", where)).toMatchObject({ outcome: "accepted", state: "open" });
      expect(behind.at("mistimed")).toMatchObject([{ state: "open" }]);
      expect(await behind.call("cancel_all_orders")).toMatchObject({ canceled: 1, remaining: 0 });
    });

    it("is not taken where it arrives too late, and stays an open question all the same", async () => {
      const { world, desk } = on();
      const where = elsewhere();
      await world.plan({ kind: "late_delivery", after_ms: windowMs + 1_000 });
      expectOpenQuestion(await desk.place("too-late", where));
      await pause(windowMs + 2_000);
      expectOpenQuestion(await desk.place("too-late", where));
      expect(desk.at("too-late")).toEqual([]);
    });
  });
}
