/** Which kinds of plans an exchange's card allows, and what is said of those that it does not; and the names that their orders have there. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Market, VenueCard } from "../../../src/contract/index.ts";
import { clientIdOf, isDerived, isMintedUserref } from "../../../src/desk/core/ids.ts";
import type { PlanTerms } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { checkKindNeeds } from "../../../src/desk/plans/plan-needs.ts";
import { CARDS } from "../../../src/venues/index.ts";
import { LOOSE } from "../../fixture/policy.ts";

const MARKET = { symbol: "BTC/KRW", base: "BTC", quote: "KRW" } as Market;
const MARKETS = [MARKET, { symbol: "ETH/KRW", base: "ETH", quote: "KRW" } as Market];
const SOLD = { symbol: "BTC/KRW", volume: "1" } as const;
const BOUGHT = { symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" } } as const;
const TERMS: Readonly<Record<string, PlanTerms>> = {
  stop: { kind: "stop", ...SOLD, stopPrice: "100", floorPrice: "90" },
  resting: { kind: "stop", ...SOLD, stopPrice: "100", limitPrice: "98" },
  take: { kind: "take_profit", ...SOLD, takePrice: "110" },
  trailing: { kind: "trailing_stop", ...SOLD, trail: { percent: "5" } },
  oco: { kind: "oco", ...SOLD, stop: { stopPrice: "100" }, takePrice: "110" },
  recurring: { kind: "recurring", ...BOUGHT, schedule: "daily 09:00", timezone: "UTC" },
  limited: { kind: "recurring", ...BOUGHT, schedule: "daily 09:00", timezone: "UTC", limitPrice: "100" },
  slices: { kind: "slices", ...BOUGHT, count: 2, durationMs: 60_000 },
  sold: { kind: "slices", symbol: "BTC/KRW", side: "sell", size: { volume: "1" }, count: 2, durationMs: 60_000 },
  basket: {
    ...{ kind: "rebalance", weights: { BTC: "50", ETH: "50" }, quote: "KRW", fromCash: "0", toCash: "0", left: [] },
    orders: [
      { symbol: "BTC/KRW", side: "sell", size: { volume: "1" }, value: "100" },
      { symbol: "ETH/KRW", side: "buy", size: { quoteAmount: "100" }, value: "100" },
    ],
  },
  alert: { kind: "alert", event: "price", symbol: "BTC/KRW", above: "110" },
};

function refusedBy(card: VenueCard): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TERMS).flatMap(([name, terms]) => {
      const fault = checkKindNeeds({ card, policy: LOOSE }, MARKETS, terms);
      return fault === undefined ? [] : [[name, `${fault.field}: ${fault.message}`]];
    }),
  );
}

function cardOf(name: string): VenueCard {
  const card = CARDS.find((each) => each.name === name);
  if (card === undefined) throw new Error(name);
  return card;
}

const END = ". Nothing was recorded.";

describe("the kinds of plans of an exchange", () => {
  it.each(["hoga", "upbit", "bithumb", "korbit"])("are all of them at %s", (name) => {
    expect(refusedBy(cardOf(name))).toEqual({});
  });

  it("are all but buys with a limit at Coinone, which sells at once within one and does not buy so", () => {
    const said = "Coinone has no IOC for limit buy orders: it takes GTC, as a plan of kind recurring would send it";
    const instead = "leave limit_price out, so that each order is one at the market";
    expect(refusedBy(cardOf("coinone"))).toEqual({ limited: `limit_price: ${said}: ${instead}${END}` });
  });

  it("are those that rest and those at the market where a limit order can only rest, and what to do instead is said of each", () => {
    const card = { ...cardOf("upbit"), time_in_force: { limit: ["GTC"], market: ["IOC"] } };
    const lacks = (kind: string) =>
      `Upbit has no IOC for limit orders: it takes GTC, as a plan of kind ${kind} would send it`;
    expect(refusedBy(card)).toEqual({
      stop: `limit_price: ${lacks("stop")}: give limit_price, at which an order then rests${END}`,
      take: `kind: ${lacks("take_profit")}: place a limit order to sell at take_price, which waits there${END}`,
      trailing: `kind: ${lacks("trailing_stop")}: ask for a stop with limit_price, or for an alert${END}`,
      oco: `kind: ${lacks("oco")}: ask for a stop with limit_price, or for an alert${END}`,
      limited: `limit_price: ${lacks("recurring")}: leave limit_price out, so that each order is one at the market${END}`,
    });
  });

  it("are those with a limit where nothing is bought or sold at the market", () => {
    const card = { ...cardOf("hoga"), types: ["limit"] as const };
    expect(Object.keys(refusedBy(card))).toEqual(["recurring", "slices", "sold", "basket"]);
    expect(Object.keys(refusedBy({ ...cardOf("hoga"), market_buy_by: "volume" }))).toEqual([
      "recurring",
      "slices",
      "basket",
    ]);
    expect(refusedBy(card)["basket"]).toMatch(/^kind: .*would send it: place its orders one by one, as the exchange/);
  });
});

it("a plan is denied by the line of the file that leaves no order of it through", () => {
  const card = cardOf("hoga");
  const limits = { card, policy: { ...LOOSE, orderTypes: ["limit"] as const } };
  expect(checkKindNeeds(limits, MARKETS, TERMS["recurring"] ?? expect.fail())).toMatchObject({
    code: "ELocal:Denied by policy",
  });
  expect(checkKindNeeds(limits, MARKETS, TERMS["basket"] ?? expect.fail())?.message).toContain("order_types");
  expect(checkKindNeeds(limits, MARKETS, TERMS["stop"] ?? expect.fail())).toBeUndefined();
  const resting = { card, policy: { ...LOOSE, timesInForce: ["GTC"] as const } };
  expect(checkKindNeeds(resting, MARKETS, TERMS["stop"] ?? expect.fail())?.message).toContain("times_in_force");
  expect(checkKindNeeds(resting, MARKETS, TERMS["resting"] ?? expect.fail())).toBeUndefined();
});

describe("the name of a step's order", () => {
  const ids = fc.uuid({ version: 7 }).map((uuid) => `plan-${uuid}`);
  const steps = fc.integer({ min: 1, max: 9_999 });

  it("is at every exchange the same of a step for ever, another of every other, and none that is minted", () => {
    fc.assert(
      fc.property(ids, steps, ids, steps, (plan, step, other, another) => {
        const name = userrefOfStep(plan, step);
        const clientId = clientIdOf(name);
        expect(clientId).toMatch(/^[0-9a-z]{18}$/);
        expect([clientIdOf(userrefOfStep(plan, step)), isDerived(clientId)]).toEqual([clientId, true]);
        expect([isMintedUserref(name), isMintedUserref(clientId)]).toEqual([false, false]);
        const isSame = plan.slice(-12) === other.slice(-12) && step === another;
        expect(clientIdOf(userrefOfStep(other, another)) === clientId).toBe(isSame);
      }),
    );
  });
});
