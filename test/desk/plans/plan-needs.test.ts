/** What an exchange has no order for is no plan there: said when it is made, by the card of each exchange. */
import { describe, expect, it } from "vitest";
import type { PlanTerms } from "../../../src/desk/index.ts";
import { checkOrderForm } from "../../../src/desk/plans/plan-needs.ts";
import { CARDS } from "../../../src/venues/index.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { MARKET } from "./plan-facts.ts";

const cardOf = (name: string) => CARDS.find((card) => card.name === name) ?? expect.fail(name);
const at = (name: string) => ({ card: cardOf(name), policy: LOOSE });
const SYMBOL = { symbol: MARKET.symbol };
const STOP: PlanTerms = { kind: "stop", ...SYMBOL, volume: "0.1", stopPrice: "100000000" };
const WEEKLY = { kind: "recurring", ...SYMBOL, schedule: "weekly mon 09:00", timezone: "UTC" } as const;
const BUYS: PlanTerms = { ...WEEKLY, side: "buy", size: { quoteAmount: "50000" } };
const SELLS: PlanTerms = { ...WEEKLY, side: "sell", size: { volume: "0.1" } };

describe("the form of a plan's orders", () => {
  it.each(CARDS.filter(({ name }) => name !== "coinone").map(({ name }) => name))(
    "is taken by %s, of every kind",
    (name) => {
      const taken = [STOP, BUYS, SELLS, { ...BUYS, limitPrice: "100000000" }].map((terms) =>
        checkOrderForm(at(name), MARKET, terms),
      );
      expect(taken).toEqual([undefined, undefined, undefined, undefined]);
    },
  );

  it("is refused where nothing fills at once at a limit, with what there is instead", () => {
    const refused = checkOrderForm(at("coinone"), MARKET, STOP);
    expect(refused).toMatchObject({ code: "ELocal:Invalid input", field: "kind" });
    expect(refused?.nextAction).toContain("stop with limit_price");
    const limited = checkOrderForm(at("coinone"), MARKET, { ...BUYS, limitPrice: "100000000" });
    expect(limited?.nextAction).toContain("Leave limit_price out");
    const rests = { ...STOP, limitPrice: "99000000" } as const;
    expect([rests, BUYS, SELLS].map((terms) => checkOrderForm(at("coinone"), MARKET, terms))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is denied by the line of the file that leaves no order of it through", () => {
    const card = cardOf("hoga");
    const limits = { card, policy: { ...LOOSE, orderTypes: ["limit"] as const } };
    expect(checkOrderForm(limits, MARKET, BUYS)).toMatchObject({ code: "ELocal:Denied by policy" });
    expect(checkOrderForm(limits, MARKET, STOP)).toBeUndefined();
    const resting = { card, policy: { ...LOOSE, timesInForce: ["GTC"] as const } };
    expect(checkOrderForm(resting, MARKET, STOP)?.message).toContain("times_in_force");
    expect(checkOrderForm(resting, MARKET, { ...STOP, limitPrice: "99000000" })).toBeUndefined();
  });
});
