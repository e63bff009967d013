/** Market orders where the best prices themselves are far from the middle. */
import { expect, it } from "vitest";
import { rate } from "../../../src/decimal/index.ts";
import { decide, type Policy } from "../../../src/desk/risk/policy-decision.ts";
import { bookOf, POLICY, QUESTION } from "./policy-question.ts";

const WIDE = bookOf([["60", "10"]], [["140", "10"]]);

it("the collar takes the only best price where the book has one side", () => {
  const order = { symbol: "BTC/KRW", side: "buy", type: "market", volume: "2" } as const;
  const asks = bookOf(
    [],
    [
      ["100", "1"],
      ["400", "1"],
    ],
  );
  const policy: Policy = { ...POLICY, maxSlippage: "off" };
  expect(decide(policy, { ...QUESTION, order, book: asks })).toMatchObject({
    denial: { rule: "price_collar", figure: "150", message: expect.stringContaining("only best price ₩100") },
  });
});

it.each([
  [{ side: "buy", volume: "1" }],
  [{ side: "sell", volume: "1" }],
  [{ side: "buy", amount: "140" }],
  [{ side: "sell", amount: "60" }],
] as const)("the collar bounds a market order too: %j", (fields) => {
  const order = { symbol: "BTC/KRW", type: "market", ...fields } as const;
  const verdict = (change: Partial<Policy> = {}) =>
    decide({ ...POLICY, ...change }, { ...QUESTION, order, book: WIDE });
  const denial = {
    rule: "price_collar",
    figure: "40",
    limit: "5",
    message:
      "the order would trade 40 % from the book's mid ₩100 on average, further than price_collar_pct 5: " +
      "use a limit order, or a person raises the limit in policy.toml",
    field: "type",
  };
  expect(verdict()).toEqual({ kind: "deny", denial });
  expect(verdict({ maxSlippage: "off" })).toEqual({ kind: "deny", denial });
  for (const change of [{ priceCollar: rate("0.4") }, { priceCollar: "off" }] as const)
    expect(verdict(change).kind).not.toBe("deny");
});
