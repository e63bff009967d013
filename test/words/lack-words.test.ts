import { describe, expect, it } from "vitest";
import type { Market } from "../../src/contract/index.ts";
import { checkCard } from "../../src/desk/risk/order-validation.ts";
import { CARDS } from "../../src/venues/index.ts";
import { wordsInFull } from "../../src/words/index.ts";

const CARD = { ...CARDS.find(({ name }) => name === "upbit") } as (typeof CARDS)[number];
const MARKET = { quote: "KRW" } as Market;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market" } as const;

const inFull = await wordsInFull({ locale: "ko", timeZone: "Asia/Seoul" });
describe("what an exchange has not", () => {
  it.each([
    [
      CARD,
      { ...ORDER, base_volume: "1" },
      "Upbit에서는 시장가 매수를 KRW 금액으로 냅니다. base_volume 대신 quote_amount를 적으십시오.",
    ],
    [
      CARD,
      { ...ORDER, side: "sell", quote_amount: "1" },
      "Upbit에서는 시장가 매도를 코인 수량으로 냅니다. quote_amount 대신 base_volume을 적으십시오.",
    ],
    [
      CARD,
      { ...ORDER, quote_amount: "1", time_in_force: "FOK" },
      "Upbit에는 시장가 주문에 FOK가 없습니다. 쓸 수 있는 것: IOC.",
    ],
    [
      { ...CARD, post_only: "none" },
      { ...ORDER, type: "limit", post_only: true },
      "Upbit에는 post-only 주문이 없습니다. 빼십시오.",
    ],
    [{ ...CARD, types: ["limit"] }, { ...ORDER, quote_amount: "1" }, "Upbit에는 시장가 주문이 없습니다."],
  ] as const)("is said in Korean too, whatever the desk says of it: %#", (card, order, korean) => {
    const problems = checkCard(card, MARKET, order);
    expect(problems).toHaveLength(1);
    const message = `${problems.map((problem) => problem.message).join("; ")}. Nothing was sent.`;
    expect(inFull.korean("ELocal:Invalid input", message).meaning).toBe(`${korean} 보낸 것은 없습니다.`);
  });

  it("is said of several at once, and of no other sentence", () => {
    const order = { ...ORDER, base_volume: "1", time_in_force: "FOK" } as const;
    const message = checkCard(CARD, MARKET, order)
      .map((problem) => problem.message)
      .join("; ");
    expect(inFull.korean("ELocal:Invalid input", message).meaning).toMatch(/quote_amount를 적으십시오\. Upbit에는/);
    const plain = inFull.korean("ELocal:Invalid input").meaning;
    expect(inFull.korean("ELocal:Invalid input", "price: it is no number. Nothing was sent.").meaning).toBe(plain);
  });
});
