/**
 * What an assistant's desk does at an exchange, whichever it is, while that does what such an exchange can do wrong: a real client over stdio, a real
 * server, the exchange's API over real HTTP. Whatever is said is held against what the exchange has. Entry point: `testBehaviour`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FAMILY_EFFECT_KINDS } from "../../../src/sandbox/http/family-effect.ts";
import { eventually } from "../../fixture/command.ts";
import { PIN } from "../../fixture/command-line.ts";
import { openTerminal } from "../../fixture/pseudo-terminal.ts";
import { WRITE_TIMEOUT_MS } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";
import { testKills } from "./kills.ts";
import { testLateOrder, testLostAnswers } from "./lost-answers.ts";
import { testProgram } from "./program.ts";
import { testShutOut } from "./shut-out.ts";
import { elsewhere, expectOpenQuestion, onStage, type Stage } from "./stage.ts";
import { testUnseenOrders } from "./unseen-orders.ts";

/** @param lateMs how long one order is on its way */
export function testBehaviour(exchange: Exchange, { lateMs = 8_000 }: { readonly lateMs?: number } = {}): void {
  const on = onStage(exchange, lateMs);
  testStory(exchange, on);
  testLostAnswers(exchange, on);
  testUnseenOrders(exchange, on);
  testShutOut(exchange, on);
  testSwallowed(exchange, on);
  testKills(exchange, on);
  testProgram(exchange);
  testLateOrder(exchange, on);
}

function testStory({ name, title, fee, cannot, historyLagMs }: Exchange, on: () => Stage): void {
  describe(`an assistant at ${title}`, () => {
    it("meets everything that can go wrong there", async () => {
      const { kinds } = await on().world.admin.must("GET", "/faults/kinds");
      const able = FAMILY_EFFECT_KINDS.filter((kind) => cannot[kind] === undefined);
      expect(FAMILY_EFFECT_KINDS.filter((kind) => kind in kinds)).toEqual(able);
    });

    it("looks, orders, changes, fills, cancels and halts, with one order at the exchange for each request", async () => {
      const trader = await on().world.desk();
      const call: typeof trader.call = (...args) => trader.call(...args);
      expect(await call("get_desk_status")).toMatchObject({
        ...{ profile: name, venue: "up", can_trade: true, unit: "KRW" },
      });
      expect(await call("get_ticker", { symbols: ["BTC/KRW"] })).toMatchObject({ tickers: [{ symbol: "BTC/KRW" }] });
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
      expect(await call("preview_order", order)).toMatchObject({ valid: true, estimate: { best_ask: "100000000" } });
      expect(await trader.place("by-name")).toMatchObject({ outcome: "accepted", state: "open", userref: "by-name" });
      expect(await call("get_order", { userref: "by-name" })).toMatchObject({
        state: "open",
        order: { userref: "by-name" },
      });
      const moved = await call("replace_order", { userref: "by-name", price: "91000000" });
      const isMoved = { outcome: "accepted", replaced: { state: "canceled" }, order: { price: "91000000" } };
      expect(moved).toMatchObject(isMoved);
      expect((await call("get_open_orders")).orders).toMatchObject([{ price: "91000000", state: "open" }]);
      const bought = await call("place_order", {
        ...{ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "10000" },
      });
      expect(bought).toMatchObject({ outcome: "accepted", isError: false });
      // At once, where its lists are not behind.
      const trades = await eventually(async () => {
        const listed = (await call("get_trade_history"))["trades"] as unknown[];
        return listed.length > 0 ? listed : undefined;
      }, historyLagMs);
      expect(trades).toMatchObject([{ price: "100000000", volume: "0.0001", fee }]);
      expect(await call("get_portfolio")).toMatchObject({ totals: { fees: fee } });
      expect(await call("get_order", { userref: bought.userref })).toMatchObject({ state: "filled" });
      expect(await call("cancel_all_orders")).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
      expect(await call("halt_trading", { reason: "enough" })).toMatchObject({ isError: false });
      expect(await trader.place("after-halt", elsewhere())).toMatchObject({ outcome: "not_sent", state: "denied" });
      expect(trader.orders().map(({ state }) => state)).toEqual(["filled", "canceled", "canceled"]);
    });
  });
}

/** A person at a terminal, who is asked for the PIN. */
async function typed(home: string, words: readonly string[], questions: readonly string[]): Promise<void> {
  const window = openTerminal(words, { home });
  for (const question of questions) {
    await window.see(question);
    window.type(`${PIN}\r`);
  }
  expect(await window.ended).toMatchObject({ code: 0 });
}

function testSwallowed({ title }: Exchange, on: () => Stage): void {
  describe(`an order that ${title} never got`, () => {
    it("stays unknown with what was found out, until a person says that it was not placed", async () => {
      const { bereft, swallowed, swallowedAt } = on();
      expectOpenQuestion(swallowed);
      const looked = await eventually(async () => {
        const said = await bereft.call("get_order", { userref: "swallowed" });
        return (said.evidence?.lookups ?? 0) >= 2 ? said : undefined;
      });
      expect(looked).toMatchObject({ state: "unknown", evidence: { in_open_list: false, locked_explained: true } });
      expectOpenQuestion(await bereft.place("swallowed"));
      // Twice what is waited for an answer, and ten seconds: it may be on its way for so long.
      await pause(Math.max(0, swallowedAt + 2 * WRITE_TIMEOUT_MS + 10_500 - Date.now()));
      expect(await bereft.call("get_order", { userref: "swallowed" })).toMatchObject({ state: "unknown" });
      await typed(bereft.home, ["pin"], ["New PIN (6", "New PIN again"]);
      await typed(bereft.home, ["settle", "swallowed", "not-placed"], ["PIN: "]);
      expect(await bereft.call("get_order", { userref: "swallowed" })).toMatchObject({ state: "not_placed" });
      expect(await bereft.events("swallowed")).toContain("settled_by_person");
      expect(bereft.orders()).toEqual([]);
    });
  });
}
