/** Tests of an order whose answer is lost on its way from an exchange. Source: architecture.md#rule-1, architecture.md#rule-5. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { WRITE_TIMEOUT_MS } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";
import { elsewhere, expectOpenQuestion, found, NOT_THERE, type Stage } from "./stage.ts";

/** Each with how many orders there are in the end. */
const LOSSES = [
  ["an answer that is no order", { kind: "odd_answer", body: "<html>busy</html>", applied: true }, 1],
  ["half an answer", { kind: "garble" }, 1],
  ["a failure of the exchange after it was taken", { kind: "error", applied: true }, 1],
  ["an id that is said to be used", { kind: "duplicate_id" }, 1],
  ["a second delivery of the same request", { kind: "double_delivery" }, 1],
  ["an answer later than it is waited for", { kind: "latency", latency_ms: WRITE_TIMEOUT_MS + 800 }, 1],
  ["a connection that ends once it was taken", { kind: "drop" }, 1],
  ["a failure of the exchange before it was taken", { kind: "error" }, 0],
  ["an answer in another's form", { kind: "odd_answer", body: "{}", content_type: "application/json" }, 0],
] as const;

export function testLostAnswers({ title, noFunds }: Exchange, on: () => Stage): void {
  describe(`an order whose answer is lost at ${title}`, () => {
    it.each(LOSSES)("is found once where it is there, and unknown where not: %s", async (what, fault, there) => {
      const { world, desk } = on();
      // One without an answer holds others like it back.
      const [userref, where] = [`lost-${what.replaceAll(/\W/g, "-").slice(0, 40)}`, elsewhere()];
      await world.plan(fault);
      const told = await desk.place(userref, where);
      expect(NOT_THERE).not.toContain(told.outcome);
      expect(NOT_THERE).not.toContain(told.state);
      if (there === 1) expect(await found(desk, userref)).toMatchObject({ state: "open" });
      else expectOpenQuestion(told);
      const again = await desk.place(userref, where);
      expect(again).toMatchObject({ outcome: there === 1 ? "accepted" : "unknown" });
      expect(desk.at(userref)).toHaveLength(there);
    });

    it("is taken where the exchange refuses a second delivery of it, and the log says so", async () => {
      const { world, desk } = on();
      const fault = { kind: "odd_answer", status: noFunds.status, applied: true, content_type: "application/json" };
      await world.plan({ ...fault, body: JSON.stringify(noFunds.body) });
      expect(await desk.place("refused", elsewhere())).toMatchObject({ outcome: "accepted", state: "open" });
      expect(desk.at("refused")).toHaveLength(1);
      expect(await desk.events("refused")).toContain("refused_and_taken");
    });

    it("is rejected where the exchange refuses it and has none", async () => {
      const { desk } = on();
      const told = await desk.place("too-much", { ...elsewhere(), base_volume: "9" });
      expect(told).toMatchObject({ outcome: "rejected", error: { code: "EOrder:Insufficient funds" } });
      expect(desk.at("too-much").filter(({ state }) => state !== "rejected")).toEqual([]);
    });

    it("is there once, and found by the next process, when the server is killed before its answer", async () => {
      const { world } = on();
      const first = await world.desk();
      await world.plan({ kind: "latency", latency_ms: 700 });
      first.place("killed").catch(() => undefined);
      await eventually(async () => ((await world.hasBegun()) ? true : undefined));
      await first.kill();
      const second = await first.again();
      expect(await found(second, "killed")).toMatchObject({ state: "open", order: { userref: "killed" } });
      expect(await second.place("killed")).toMatchObject({ outcome: "accepted", state: "open" });
      expect(second.at("killed")).toHaveLength(1);
    });
  });
}

/** To be awaited last, as it takes longest: the order is on its way since the file began. */
export function testLateOrder({ title }: Exchange, on: () => Stage): void {
  describe(`an order that is on its way to ${title} for long`, () => {
    it("is unknown while it is on its way, and never sent again, until get_order finds it and the log says how late", async () => {
      await expect(on().late).resolves.toBeUndefined();
    });
  });
}
