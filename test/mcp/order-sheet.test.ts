/** What a person reads of an order that waits, in both languages. */
import { describe, expect, it } from "vitest";
import type { ApprovalOutlook, Desk, ExpectedCosts, PendingOrder } from "../../src/desk/index.ts";
import { questionText } from "../../src/mcp/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { wordsFor } from "../../src/words/index.ts";

const DESK = { environment: "live", profile: "main", card: CARDS[0] } as Desk;
const ASKED: Omit<PendingOrder, "digest"> = {
  intent_id: "i",
  userref: "u",
  order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.02", price: "150000000", userref: "u" },
  value: "3000000",
  costs: null,
  warnings: [],
  price_seen: "149000000",
  why: "mode is confirm: a person approves every order",
  asked_at: "2026-07-20T09:00:00.000Z",
  expires_at: "2026-07-20T09:05:00.000Z",
};
const BUY: ExpectedCosts = {
  taker_fee: "745",
  maker_fee: "600",
  total: "2991345",
  proceeds: null,
  fee_currency: "KRW",
};
const SELL = { ...BUY, total: null, proceeds: "2988655" };

const sheet = (
  request: Partial<PendingOrder>,
  locale: "en" | "ko" = "en",
  price: string | null = null,
): readonly string[] => {
  const words = wordsFor({ locale, timeZone: "UTC" });
  return questionText(DESK, "a-1", { ...ASKED, ...request }, words, { price } as ApprovalOutlook).split("\n");
};

describe("the fee, behind what an order counts for,", () => {
  it.each<[string, ExpectedCosts, string, string]>([
    [
      "of what executes at once and what rests",
      BUY,
      "Expected fee ₩1,345 (taker ₩745, maker ₩600): with it ₩2,991,345 in all.",
      "예상 수수료: ₩1,345 (테이커 ₩745, 메이커 ₩600). 수수료를 더하면 모두 ₩2,991,345 (299만 1,345원).",
    ],
    [
      "of what executes at once, without figures behind the second decimal",
      { ...BUY, taker_fee: "745.12345678", maker_fee: "0", total: "1490745.12345678" },
      "Expected fee ₩745.12 (taker): with it ₩1,490,745.12 in all.",
      "예상 수수료: ₩745.12 (테이커). 수수료를 더하면 모두 ₩1,490,745.12 (149만 745.12원).",
    ],
    [
      "of what rests",
      { ...BUY, taker_fee: "0", total: "1500600" },
      "Expected fee ₩600 (maker): with it ₩1,500,600 in all.",
      "예상 수수료: ₩600 (메이커). 수수료를 더하면 모두 ₩1,500,600 (150만 600원).",
    ],
    [
      "of a sell",
      SELL,
      "Expected fee ₩1,345 (taker ₩745, maker ₩600): it brings ₩2,988,655 after that.",
      "예상 수수료: ₩1,345 (테이커 ₩745, 메이커 ₩600). 수수료를 빼면 ₩2,988,655 (298만 8,655원)을 받습니다.",
    ],
    [
      "of what would not execute",
      { ...BUY, taker_fee: "0", maker_fee: "0", total: "0" },
      "By the book when it was asked for, nothing of it would execute.",
      "요청할 때 호가로는 아무것도 체결되지 않습니다.",
    ],
  ])("is that %s", (_, costs, english, korean) => {
    expect(sheet({ costs })[3]).toBe(english);
    expect(sheet({ costs }, "ko")[3]).toBe(korean);
  });

  it("is left out where it was not kept", () => {
    expect(sheet({})[3]).toMatch(/^The price was ₩149,000,000/);
    expect(sheet({})).toHaveLength(sheet({ costs: BUY }).length - 1);
  });
});

describe("the market's price", () => {
  const seen = { price_seen: "149000000" };
  const market = { order: { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" } } as const;
  it.each<[string, Partial<PendingOrder>, string | null, string, string]>([
    [
      "is that of now, with the one of before, and how far the order's is from it",
      seen,
      "151000000",
      "The price is ₩151,000,000 now, and was ₩149,000,000 when it was asked for. This one is 0.66% below.",
      "지금 시세: ₩151,000,000 (1억 5,100만원). 요청할 때는 ₩149,000,000 (1억 4,900만원). 이 주문 가격은 시세보다 0.66% 낮습니다.",
    ],
    [
      "is said once where it is what it was",
      seen,
      "149000000",
      "The price is ₩149,000,000 now. This one is 0.67% above.",
      "지금 시세: ₩149,000,000 (1억 4,900만원). 이 주문 가격은 시세보다 0.67% 높습니다.",
    ],
    [
      "is that of now where none was seen",
      { price_seen: null },
      "150000000",
      "The price is ₩150,000,000 now.",
      "지금 시세: ₩150,000,000 (1억 5,000만원).",
    ],
    [
      "is the one that was seen, with its time, where that of now is not known",
      seen,
      null,
      "The price was ₩149,000,000 when it was asked for, at 2026-07-20 09:00:00 UTC. This one is 0.67% above.",
      "요청할 때(2026-07-20 09:00:00 UTC) 시세: ₩149,000,000 (1억 4,900만원). 이 주문 가격은 시세보다 0.67% 높습니다.",
    ],
    [
      "has no distance from an order without one",
      { ...seen, ...market },
      "151000000",
      "The price is ₩151,000,000 now, and was ₩149,000,000 when it was asked for.",
      "지금 시세: ₩151,000,000 (1억 5,100만원). 요청할 때는 ₩149,000,000 (1억 4,900만원).",
    ],
    [
      "is not there",
      { price_seen: null },
      null,
      "No price was seen when it was asked for.",
      "요청할 때 본 시세가 없습니다.",
    ],
  ])("%s", (_, request, price, english, korean) => {
    expect(sheet(request, "en", price)[3]).toBe(english);
    expect(sheet(request, "ko", price)[3]).toBe(korean);
  });
});

describe("what was known against it", () => {
  const warnings = ["The price ₩9,600 is 4.00% below what was last traded at, ₩9,999.5."];

  it("stands last, in the reader's language, wherever it is read", () => {
    expect(sheet({ warnings }).at(-1)).toBe(`Warning when it was asked for: ${warnings[0]}`);
    expect(sheet({ warnings }, "ko").at(-1)).toBe(
      "요청 당시 주의 사항: 가격 ₩9,600은 최근 체결가 ₩9,999.5보다 4.00% 낮습니다.",
    );
  });
});
