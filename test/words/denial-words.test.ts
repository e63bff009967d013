import { describe, expect, it } from "vitest";
import { koreanDenial } from "../../src/words/denial-words.ts";
import { localMoments, wordsFor } from "../../src/words/index.ts";
import { DENIALS } from "../desk/risk/broken-rules.ts";

const { told, korean } = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" }, koreanDenial);
const said = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`;

/** English that stays in Korean: names of settings and markets, what is quoted, units. */
const NAMES =
  /"[^"]*"|\b(?:[a-z]+_[a-z_]+|[A-Z]{2,5}(?:\/[A-Z]{3})?|policy\.toml|mode = read-only|market|mode|markets|type|limit|plan-1|ms)\b/g;

describe("a denial", () => {
  it.each(DENIALS)("has its Korean with what would pass, by the rule %s: %o", (_, { message }) => {
    for (const sentence of [message, said(message)]) {
      const [alone, meaning] = [told(sentence), korean("ELocal:Denied by policy", sentence).meaning];
      expect(meaning).toBe(alone);
      expect(alone).toMatch(/[가-힣]/);
      expect(alone.replaceAll(NAMES, "")).not.toMatch(/[A-Za-z]{3,}(?<!UTC)/);
      expect(alone.endsWith("보낸 것은 없습니다.")).toBe(sentence !== message);
    }
  });

  it.each([
    [
      "the order counts for ₩1,500,000, larger than max_order_krw ₩1,000,000: make it at most 0.01 BTC, or a person raises the limit in policy.toml",
      "주문 금액 ₩1,500,000 (150만원)이 1회 주문 한도(max_order_krw) ₩1,000,000 (100만원)보다 큽니다. 0.01 BTC 이하로 줄이십시오. 한도는 사람이 policy.toml에서 올릴 수 있습니다.",
    ],
    [
      'trading was halted at 2026-11-28T00:00:00.000Z by "kim", who gave as reason "lunch": cancels still work, and only a person lifts it',
      '거래가 정지되어 있습니다(2026-11-28 09:00:00 UTC+9, 정지한 쪽: "kim", 이유: "lunch"). 취소는 되며, 정지는 사람만 풀 수 있습니다.',
    ],
    [
      "orders of the last 24 hours count for ₩900,000 and this one for ₩200,000, together more than max_day_krw ₩1,000,000: make it at most ₩100,000, wait until 2026-11-28T00:00:00.000Z, when enough of the budget is free, or a person raises the limit in policy.toml",
      "최근 24시간의 주문 ₩900,000 (90만원)에 이 주문 ₩200,000 (20만원)을 더하면 하루 한도(max_day_krw) ₩1,000,000 (100만원)보다 큽니다. ₩100,000 (10만원) 이하로 줄이거나, 하루 한도에 여유가 충분히 생기는 2026-11-28 09:00:00 UTC+9까지 기다리십시오. 한도는 사람이 policy.toml에서 올릴 수 있습니다.",
    ],
    [
      "XRP/KRW is not among the markets allowed, which are BTC/KRW, ETH/KRW and 3 more: choose one of these, or a person adds it to markets in policy.toml",
      "XRP/KRW는 허용된 마켓이 아닙니다. 허용된 마켓: BTC/KRW, ETH/KRW 외 3개. 이 가운데에서 고르십시오. 아니면 사람이 policy.toml의 markets에 추가해야 합니다.",
    ],
    [
      "the order counts for 1,500 USDT, larger than max_order_usdt 1,000 USDT: make it at most 0.01 BTC, or a person raises the limit in policy.toml",
      "주문 금액 1,500 USDT가 1회 주문 한도(max_order_usdt) 1,000 USDT보다 큽니다. 0.01 BTC 이하로 줄이십시오. 한도는 사람이 policy.toml에서 올릴 수 있습니다.",
    ],
    [
      "orders of the last 24 hours and the 30 USDT that plan-6 has set aside for the next count for 90 USDT and this one for 20 USDT, together more than max_day_usdt 100 USDT",
      "최근 24시간의 주문과 예약(plan-6)이 앞으로 24시간 몫으로 미리 잡아 둔 30 USDT를 합한 90 USDT에 이 주문 20 USDT를 더하면 하루 한도(max_day_usdt) 100 USDT보다 큽니다.",
    ],
    [
      "the order would move 3.1 % from the best price ₩100 on average, more than max_slippage_pct 1: make it smaller, or use a limit order",
      "예상 평균 체결가가 최우선 호가 ₩100에서 3.1% 벗어나, 한도(max_slippage_pct) 1%를 넘습니다. 주문을 줄이거나 지정가로 주문하십시오.",
    ],
    [
      "BTC/KRW is halted and takes no new orders; cancels still work",
      "BTC/KRW는 지금 새 주문을 받지 않습니다(거래 정지). 취소는 됩니다.",
    ],
    [
      "order 3 of the plan was approved for nothing, not for buy ETH/KRW",
      "예약에는 승인된 3번째 주문이 없는데, 이 주문은 ETH/KRW 매수입니다.",
    ],
    ["the plan plan-6 of this order is lapsed", "이 주문의 예약 plan-6은 지금 진행 중이 아닙니다(무효)."],
    ["type market is not allowed: use limit", "주문 유형(type) 시장가는 허용되지 않습니다. 쓸 수 있는 것: 지정가."],
    [
      "the plan counts for ₩900,450,000 at worst, more than ₩5,000,000 that one plan may: make it smaller or shorter",
      "예약 금액이 최악의 경우 ₩900,450,000 (9억 45만원)으로, 예약 한 건의 한도 ₩5,000,000 (500만원)보다 큽니다. 금액이나 기간을 줄이십시오.",
    ],
    [
      "its busiest 24 hours count for ₩70,000 and ₩50,000 are used or set aside for other plans, more than ₩100,000 in all: make it smaller, or begin it later",
      "이 예약이 가장 많이 쓰는 24시간의 금액 ₩70,000 (7만원)에 이미 썼거나 다른 예약이 잡아 둔 ₩50,000 (5만원)을 더하면 하루 한도 ₩100,000 (10만원)보다 큽니다. 금액을 줄이거나 나중에 시작하십시오.",
    ],
    [
      "the plan would protect 0.2 BTC and 0.3 BTC is held, of which open plans protect 0.15 BTC: make it at most 0.15 BTC, or cancel one of these first, or name in replaces the one that it takes the place of",
      "예약이 보호할 수량은 0.2 BTC인데 가지고 있는 것은 0.3 BTC입니다(이 가운데 0.15 BTC는 다른 예약이 보호하고 있습니다). 0.15 BTC 이하로 줄이거나, 그 예약 가운데 하나를 먼저 취소하십시오. 아니면 replaces에 대신할 예약을 적으십시오.",
    ],
    [
      "the plan would protect 12 RENDER and 10 1INCH is held: make it at most 10 RENDER",
      "예약이 보호할 수량은 12 RENDER인데 가지고 있는 것은 10 1INCH입니다. 10 RENDER 이하로 줄이십시오.",
    ],
    [
      "plan plan-6 begins with order ord-7 already: cancel that, or name it in replaces",
      "예약 plan-6이 이미 주문 ord-7로 시작하게 되어 있습니다. 그 예약을 취소하십시오. 아니면 replaces에 대신할 예약을 적으십시오.",
    ],
    ["the plan plan-6 of this order is paused", "이 주문의 예약 plan-6은 일시 정지되어 있습니다."],
    ["the plan of this order is waiting for a person", "이 주문의 예약은 사람의 확인을 기다리고 있습니다."],
    [
      "order 2 of the plan was approved for sell BTC/KRW, not for buy ETH/KRW",
      "예약의 2번째 주문은 BTC/KRW 매도로 승인되었는데, 이 주문은 ETH/KRW 매수입니다.",
    ],
    [
      "this order counts for what cannot be valued, more than the ₩100,000 that were approved",
      "주문 금액을 계산할 수 없어 승인된 ₩100,000 (10만원) 이내인지 확인하지 못했습니다.",
    ],
    [
      "hoga was never tried with a real key of Upbit: it reads there, and places nothing",
      "Upbit에서는 실제 키로 hoga를 써 본 적이 아직 없어, 조회만 하고 주문은 내지 않습니다.",
    ],
    [
      "money goes to US, JP only (remittances.countries)",
      "송금할 수 있는 나라는 US, JP뿐입니다(remittances.countries).",
    ],
    [
      "it comes to ₩90,000, and payments.max_krw allows ₩50,000",
      "금액이 ₩90,000 (9만원)인데, 한도(payments.max_krw)는 ₩50,000 (5만원)입니다.",
    ],
  ])("says it whole: %s", (english, sentence) => {
    expect(told(english)).toBe(sentence);
    expect(wordsFor().told(english)).toBe(localMoments(english, "UTC"));
  });

  it("is said by its code where one part of it is not known", () => {
    const unknown =
      "The order counts for ₩2, larger than max_order_krw ₩1: do something of tomorrow. Nothing was sent.";
    expect(korean("ELocal:Denied by policy", unknown)).toEqual(korean("ELocal:Denied by policy"));
    expect(told(unknown)).toBe(unknown);
  });
});
