/** Tests of an order that an exchange has taken and does not show, or not yet. Source: architecture.md#rule-1, architecture.md#rule-4. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import type { DeskAt } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";
import { elsewhere, found, NOT_THERE, type Stage } from "./stage.ts";

/** Longer than what is to be said meanwhile takes, and less than the ten seconds in which each of the exchanges is taken to show an order. */
const LAG_MS = 8_000;

async function cancelAll(desk: DeskAt): Promise<void> {
  await eventually(async () => {
    const { remaining } = await desk.call("cancel_all_orders");
    return remaining === 0 ? true : undefined;
  });
}

export function testUnseenOrders(exchange: Exchange, on: () => Stage): void {
  const { title, looks, openList, answers, cancelsUnseen, cannot } = exchange;
  describe(`an order that ${title} has taken and does not show`, () => {
    it("is not said to be absent while it is not found", async () => {
      const { world, lagging } = on();
      await world.plan({ kind: "read_lag", ms: LAG_MS });
      // Where it is answered with its id alone, nothing is known of its state until it is listed as it was sent.
      const state = answers === "order" ? "open" : (expect.stringMatching(/^(accepted|open)$/) as string);
      expect(await lagging.place("lags")).toMatchObject({ outcome: "accepted", state });
      const looked = await lagging.call("get_order", { userref: "lags" });
      if (answers === "order") expect(looked).toMatchObject({ state });
      else expect(looked.error?.message).toMatch(/has taken this order a moment ago/);
      expect((await lagging.call("get_open_orders")).orders).toMatchObject([{ userref: "lags" }]);
      expect(await lagging.place("lags")).toMatchObject({ outcome: "accepted", state });
      expect(await lagging.call("cancel_order", { userref: "lags" })).toMatchObject({ state, isError: true });
      if (!cancelsUnseen) expect(await lagging.call("cancel_all_orders")).toMatchObject({ canceled: 0, remaining: 1 });
    });

    it("is listed and canceled with all others where no list ever has it", async () => {
      const { world, behind } = on();
      await world.plan({ kind: "partial_then_vanish" });
      await behind.place("vanishes");
      expect((await behind.call("get_open_orders")).orders).toMatchObject([{ userref: "vanishes", state: "open" }]);
      expect(await behind.call("cancel_all_orders")).toMatchObject({ outcome: "accepted", remaining: 0 });
      expect(await behind.call("get_order", { userref: "vanishes" })).toMatchObject({ state: "canceled" });
      expect(behind.at("vanishes")).toMatchObject([{ state: "canceled" }]);
    });

    it("is listed where a list ends in its middle", async () => {
      const { world, behind } = on();
      const names = ["half-1", "half-2", "half-3", "half-4"];
      for (const name of names) await behind.place(name, elsewhere());
      await world.plan({ kind: "half_list", count: 20 }, openList);
      const { orders = [] } = await behind.call("get_open_orders");
      expect(new Set(orders.map(({ userref }) => userref))).toEqual(new Set(names));
      expect(await behind.call("cancel_all_orders")).toMatchObject({ canceled: 4, remaining: 0 });
    });

    it("is not said to be absent once it is canceled and not shown any more", async () => {
      const { world, behind } = on();
      await behind.place("omitted");
      await world.plan({ kind: "omit_canceled", count: 50 }, looks);
      const told = await behind.call("cancel_order", { userref: "omitted" });
      // Where the answer to a cancel does not show the order, no more is known than that it was taken.
      const shown = answers === "order" ? { order: { userref: "omitted" } } : { state: "cancel_requested" };
      expect(told).toMatchObject({ outcome: "accepted", ...shown });
      const { error } = await behind.call("get_order", { userref: "omitted" });
      expect(error?.message).toMatch(/has taken this order.*does not say that it is gone/);
      expect(await behind.place("omitted")).toMatchObject({ outcome: "unknown" });
      await world.heal();
      expect(await behind.call("get_order", { userref: "omitted" })).toMatchObject({ state: "canceled" });
      expect(behind.at("omitted")).toHaveLength(1);
    });

    it("is followed from when it was taken where it reaches the book later", async () => {
      const { world, behind } = on();
      await world.plan({ kind: "late_execution", ms: 2_500 });
      const where = elsewhere();
      expect(await behind.place("pending", where)).toMatchObject({ outcome: "accepted", state: "open" });
      expect(await behind.call("get_order", { userref: "pending" })).toMatchObject({ state: "open" });
      expect((await behind.call("get_open_orders")).orders).toMatchObject([{ userref: "pending" }]);
      expect(await behind.place("pending", where)).toMatchObject({ outcome: "accepted", state: "open" });
      await eventually(() => behind.at("pending")[0]);
      expect(behind.at("pending")).toMatchObject([{ state: "open" }]);
      expect(await found(behind, "pending")).toMatchObject({ state: "open", order: { userref: "pending" } });
      await cancelAll(behind);
      expect(behind.at("pending")).toMatchObject([{ state: "canceled" }]);
    });

    if (cannot.not_ready === undefined) testUnready(on);

    it("is canceled with all others once it is found", async () => {
      const { lagging } = on();
      await cancelAll(lagging);
      expect(await lagging.call("get_order", { userref: "lags" })).toMatchObject({ state: "canceled" });
      expect(lagging.at("lags")).toMatchObject([{ state: "canceled" }]);
    });
  });
}

function testUnready(on: () => Stage): void {
  it("is neither absent nor canceled while it is said not to be ready", async () => {
    const { world } = on();
    const first = await world.desk();
    // Longer than a busy machine takes to start a desk.
    await world.plan({ kind: "not_ready", ms: 20_000 });
    first.place("unready").catch(() => undefined);
    await eventually(() => first.at("unready")[0]);
    // The next one knows its name alone.
    await first.kill();
    const second = await first.again();
    const said = await second.call("get_order", { userref: "unready" });
    expect(NOT_THERE).not.toContain(said.state);
    const canceled = await second.call("cancel_order", { userref: "unready" });
    expect(canceled).toMatchObject({ isError: true });
    expect(second.at("unready")).toMatchObject([{ state: "open" }]);
    expect(await found(second, "unready", 30_000)).toMatchObject({ state: "open", order: { userref: "unready" } });
    expect(await second.place("unready")).toMatchObject({ outcome: "accepted", state: "open" });
    await cancelAll(second);
    expect(second.at("unready")).toMatchObject([{ state: "canceled" }]);
  });
}
