/** Each call that the skills teach, played on an exchange of its own, and judged by what came of it there. */

import { afterAll, describe, expect, it, vi } from "vitest";
import { type Answer, openStage, type Stage } from "../../../evals/stage.ts";
import { cleanUp } from "../../fixture/command-line.ts";
import { PAYEE } from "../../fixture/drafts-home.ts";
import { modernStdio } from "../../fixture/stdio-transport.ts";
import { type TaughtCall, taughtCalls } from "../../skills/taught-calls.ts";

afterAll(cleanUp);

const rows = taughtCalls();
/** All fit one exchange as they stand, but for the size of "everything". */
const LIMITS = { max_krw: "1000000", max_day_krw: "5000000", approval_over_krw: "1000000" };
const POLICY = {
  max_order_krw: "10000000",
  max_day_krw: "100000000",
  payments: LIMITS,
  remittances: { ...LIMITS, countries: ["US"], beneficiaries: [`${PAYEE.bank_code}/${PAYEE.account}`] },
};
const SETTLED = { timeout: 20_000, interval: 500 };
/** The order that a row means by the name of an earlier one. */
const DIP = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  base_volume: "0.001",
  price: "149000000",
  userref: "dip-1",
};
const OPEN_DIP = { userref: "dip-1", state: "open" };
const CANCELED_DIP = { userref: "dip-1", state: "canceled" };

interface Row {
  /** What was there before; by default the order `dip-1` rests. */
  readonly before?: (stage: Stage) => Promise<unknown>;
  /** What others do meanwhile. */
  readonly meanwhile?: (stage: Stage) => void;
  /** In the answer. */
  readonly answer: object;
  /** In its text. */
  readonly says?: string;
  /** At the exchange afterwards, besides `dip-1`, which is open unless it is among them. */
  readonly orders?: readonly object[];
  /** By which the preview is placed; its order is the last of `orders`. */
  readonly isPlaced?: true;
  /** The same plan without `preview` begins. */
  readonly isBegun?: true;
  /** The order `dip-1` waits for a person, and is at no exchange. */
  readonly isWaiting?: true;
  /** What the skill has follow. */
  readonly next?: (stage: Stage, answer: Answer["structured"]) => Promise<unknown>;
}

const alert = (stage: Stage) => stage.call("create_plan", { kind: "alert", symbol: "BTC/KRW", above: "170000000" });
const place = (order: object) => async (stage: Stage) => stage.call("place_order", { ...order });
const atMarket = { type: "market", state: "filled" };
const BTC = { symbol: "BTC/KRW" };
const fillDip = (stage: Stage): void => {
  setTimeout(() => stage.others("sell", "BTC/KRW", "149000000", "7.001"), 2_000);
};

const ROWS: Readonly<Record<string, Row>> = {
  "비트코인 지금 얼마야? 시세": { answer: { tickers: [{ ...BTC, last: "150000000" }] }, says: "₩150,000,000" },
  "도지코인 최소 주문 금액": { answer: { markets: [{ symbol: "DOGE/KRW", min_notional: "5000" }] }, says: "₩5,000" },
  "호가 보여줘, 호가창": { answer: { best_bid: "149990000", best_ask: "150000000" } },
  "지금 시장가로 3개 팔면 얼마야?": { answer: { estimate: { value: "449880000" } }, says: "₩449,880,000" },
  "일봉 보여줘 (시간봉은 1h)": { answer: { ...BTC, interval: "1d", summary: { last: "150000000" } } },
  "차트 그려줘": { answer: { ...BTC, interval: "1h", summary: { last: "150000000" } } },
  "시장 체결 내역": { answer: { trades: [{ price: "150000000", volume: "1" }, { price: "140000000" }] } },
  "비트랑 이더 비교해줘": {
    answer: {
      tickers: [
        { ...BTC, last: "150000000" },
        { symbol: "ETH/KRW", last: "5200000" },
      ],
    },
  },
  "연결됐어? 지금 주문할 수 있어?": { answer: { environment: "sandbox", can_trade: true } },
  "어떤 코인 살 수 있어?": { answer: { markets: expect.arrayContaining([expect.objectContaining(BTC)]) } },
  "얼마 있어? 뭐 갖고 있어?": { answer: { balances: [{ asset: "KRW" }, {}, {}, {}] } },
  "잔고, 내 자산": { answer: { balances: [{ asset: "KRW" }, { asset: "BTC", total: "0.02" }, {}, {}] } },
  "평단가 얼마야? 내 수익률은?": { answer: { assets: [{}, { asset: "BTC", average_price: "140000000" }, {}, {}] } },
  "오늘 얼마 벌었어?": { answer: { period: { name: "today" }, totals: { realized: "0" } } },
  "올해 수익, 선입선출로": { answer: { period: { name: "year" }, method: "fifo" } },
  "내 자산 그래프": { answer: { period: { name: "30d" }, equity: [{}] } },
  "오늘 거래 내역이랑 수수료": {
    before: place({ ...BTC, side: "buy", type: "market", quote_amount: "50000" }),
    answer: { totals: { buy_value: expect.stringMatching(/^[1-9]/), fees: [{ currency: "KRW" }] } },
    orders: [atMarket],
  },
  "비트코인 5만원어치 사줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, ...atMarket, side: "buy", amount: "50000" }],
  },
  "이더리움 0.5개 시장가로 팔아줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ symbol: "ETH/KRW", ...atMarket, side: "sell", executed_volume: "0.5" }],
  },
  "비트코인 0.001개 1억 4,900만원에 지정가 매수": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, side: "buy", price: "149000000", volume: "0.001", state: "open" }],
  },
  "이더리움 510만원에 10만원어치 사줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ symbol: "ETH/KRW", side: "buy", price: "5100000", volume: "0.01960784", state: "open" }],
  },
  "비트코인 절반 팔아줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, ...atMarket, side: "sell", executed_volume: "0.01" }],
  },
  "리플 전량 매도": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ symbol: "XRP/KRW", ...atMarket, side: "sell", executed_volume: "500" }],
  },
  "비트코인 전액 매수": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, ...atMarket, side: "buy", amount: "5546002" }],
  },
  "비트코인 10만원어치 팔아줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, ...atMarket, side: "sell", amount: "100000" }],
  },
  "메이커로만, 수수료 아끼게": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, side: "buy", post_only: "true", state: "open" }],
  },
  "미체결 주문, 승인 기다리는 것": { answer: { orders: [OPEN_DIP], waiting: [] } },
  "그 주문 어떻게 됐어?": { answer: { state: "open", order: OPEN_DIP } },
  "체결되면 알려줘": {
    meanwhile: fillDip,
    answer: { reached: true, state: "filled", order: { executed_volume: "0.001" } },
    orders: [{ userref: "dip-1", state: "filled" }],
  },
  "내 주문 148,500,000으로 옮겨줘": {
    answer: { outcome: "accepted", replaced: { state: "canceled" } },
    orders: [CANCELED_DIP, { price: "148500000", volume: "0.001", state: "open" }],
  },
  "수량 줄여줘": {
    answer: { outcome: "accepted", replaced: { state: "canceled" } },
    orders: [CANCELED_DIP, { price: "149000000", volume: "0.0005", state: "open" }],
  },
  "그 주문 취소해줘": { answer: { state: "canceled" }, orders: [CANCELED_DIP] },
  "비트코인 미체결만 취소": {
    before: place({ ...DIP, symbol: "ETH/KRW", price: "5000000", base_volume: "0.01", userref: "eth" }),
    answer: { canceled: 1, remaining: 0 },
    orders: [CANCELED_DIP, { userref: "eth", state: "open" }],
  },
  "매수 주문만 다 취소": {
    before: place({ ...DIP, side: "sell", price: "151000000", userref: "sell" }),
    answer: { canceled: 1, remaining: 0 },
    orders: [CANCELED_DIP, { userref: "sell", state: "open" }],
  },
  "미체결 다 취소해줘": {
    before: place({ ...DIP, side: "sell", price: "151000000", userref: "sell" }),
    answer: { canceled: 2, remaining: 0 },
    orders: [CANCELED_DIP, { userref: "sell", state: "canceled" }],
  },
  "10분 뒤에 다 취소되게 해줘": { answer: { outcome: "accepted", fires_at: expect.stringContaining("T") } },
  "취소된 주문들": {
    before: (stage) => stage.call("cancel_order", { userref: "dip-1" }),
    answer: { orders: [CANCELED_DIP] },
    orders: [CANCELED_DIP],
  },
  승인했어: { answer: { reached: true, order: OPEN_DIP } },
  "승인 기다리는 주문 취소해줘": {
    isWaiting: true,
    answer: { outcome: "not_sent", state: "not_placed" },
  },
  "주문 들어갔어? 응답이 없어": { answer: { state: "open", order: OPEN_DIP } },
  "결과 모르는 주문 있어?": { answer: { unresolved: [] } },
  "두 번 주문된 거 아니야?": { answer: { orders: [{ symbol: "XRP/KRW" }, BTC] } },
  "그 주문 기록 보여줘": {
    answer: { entries: expect.arrayContaining([expect.objectContaining({ userref: "dip-1" })]) },
  },
  "비트코인 5만원어치 시장가로 사줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ ...BTC, ...atMarket, side: "buy", amount: "50000" }],
  },
  "이더리움 0.3개 시장가로 팔아줘": {
    isPlaced: true,
    answer: { valid: true },
    orders: [{ symbol: "ETH/KRW", ...atMarket, side: "sell", executed_volume: "0.3" }],
  },
  "비트코인으로 5만원 결제하면 얼마나 들어? (주문번호 cart-7)": {
    answer: { payment: { state: "quoted", amount: "50000", order_ref: "cart-7" } },
    next: payAndGiveBack,
  },
  "미국으로 10만원 보내면 몇 달러야?": {
    answer: { quote: { state: "quoted", source_amount: "100000", target_currency: "USD" } },
    next: sendAndTakeBack,
  },
  "모의야 실전이야? 한도 얼마나 남았어? 뭐가 기다려?": {
    answer: { environment: "sandbox", can_trade: true, waiting: [] },
    says: "₩10,000,000",
  },
  "왜 거절됐어?": {
    before: place({ ...DIP, price: "100000000", base_volume: "1", userref: "big" }),
    answer: {},
    says: "rule order_size: ₩100,000,000, the limit is ₩10,000,000",
  },
  "뭘 한 거야?": { answer: { entries: expect.arrayContaining([expect.objectContaining({ userref: "dip-1" })]) } },
  "비트코인 1억 6천만 원 넘으면 알려줘": {
    answer: { outcome: "accepted", state: "active", plan: { ...BTC, trigger: "160000000" } },
    says: "at or above ₩160,000,000",
  },
  "이더리움 5% 떨어지면 알려줘": {
    // Of the best bid, ₩5,199,000.
    answer: { outcome: "accepted", state: "active", plan: { symbol: "ETH/KRW", trigger: "4939000" } },
  },
  "비트코인 5% 떨어지면 절반 팔아, 손절 걸어줘": {
    // Of the best bid, ₩149,990,000.
    isBegun: true,
    answer: { outcome: "not_sent", state: "preview", plan: { ...BTC, trigger: "142490000" } },
    says: "Sell up to 0.01 BTC",
  },
  "이더리움 10% 오르면 전부 익절": {
    isBegun: true,
    answer: { state: "preview", plan: { kind: "take_profit", symbol: "ETH/KRW" } },
  },
  "고점에서 5% 빠지면 팔아줘": {
    isBegun: true,
    answer: { state: "preview", plan: { kind: "trailing_stop", trigger: "142490000" } },
  },
  "손절 5%, 익절 10% 같이 걸어줘": {
    isBegun: true,
    answer: { state: "preview", plan: { kind: "oco", trigger: "142490000" } },
    says: "whichever comes first, never both",
  },
  "매주 월요일 9시에 5만원어치 사줘, 적립식": {
    isBegun: true,
    answer: { state: "preview", plan: { kind: "recurring" } },
    says: "weekly mon 09:00",
  },
  "그 매수 주문 체결되면 손절 5%, 익절 10% 걸어줘": {
    // Of what the buy waits at, ₩149,000,000.
    isBegun: true,
    answer: { state: "preview", plan: { kind: "oco", trigger: "141550000" } },
    says: "dip-1",
  },
  // Its orders would go at once.
  "비트코인이랑 이더리움 반반으로 맞춰줘, 리밸런싱": {
    answer: { state: "preview", plan: { kind: "rebalance" } },
    says: "sells first: sell 0.2",
  },
  // Its first piece would go at once.
  "100만원을 2시간 동안 10번에 나눠서 사줘": {
    answer: { state: "preview", plan: { kind: "slices" } },
    says: "in 10 pieces over 2 h",
  },
  "나 없을 때 체결되면 알려줘": { answer: { outcome: "accepted", state: "active", plan: { kind: "alert" } } },
  "오늘 10만원 잃으면 알려줘": { answer: { outcome: "accepted", state: "active" }, says: "₩100,000" },
  "손절 켜져 있어? 알림 뭐 걸려 있어?": {
    before: alert,
    answer: { plans: [{ ...BTC, state: "active" }], next_cursor: null },
  },
  "울린 알림, 끝난 예약 있어?": { before: alert, answer: { plans: [] } },
  "그 예약 잠깐 멈춰줘": { before: alert, answer: { outcome: "accepted", state: "paused" } },
  "다시 켜줘": {
    before: async (stage) => {
      const { structured } = await alert(stage);
      const { plan_id } = structured["plan"] as { readonly plan_id: string };
      return stage.call("change_plan", { plan_id, action: "pause" });
    },
    answer: { outcome: "accepted", state: "active" },
  },
  "그 예약 취소해줘": { before: alert, answer: { outcome: "accepted", state: "canceled" } },
  "거래 전부 멈춰": { answer: { brake: "everywhere", canceled: 1, remaining: 0 }, orders: [CANCELED_DIP] },
};

async function payAndGiveBack(stage: Stage, { payment }: Answer["structured"]): Promise<void> {
  const { payment_id } = payment as { payment_id: string };
  expect(await stage.call("confirm_payment", { payment_id })).toMatchObject({ structured: { outcome: "accepted" } });
  await vi.waitFor(async () => {
    const { structured } = await stage.call("get_payment", { payment_id });
    expect(structured).toMatchObject({ payment: { state: "settled" } });
  }, SETTLED);
  expect(await stage.call("refund_payment", { payment_id })).toMatchObject({ structured: { outcome: "accepted" } });
}

async function sendAndTakeBack(stage: Stage, { quote }: Answer["structured"]): Promise<void> {
  const { quote_id } = quote as { quote_id: string };
  const missing = await stage.call("send_remittance", { quote_id });
  expect(missing.text).toContain("ECompliance:Missing travel-rule metadata");
  const asked = { beneficiary: PAYEE, originator_vasp_id: "vasp-1", purpose_code: "FAMILY" };
  const sent = await stage.call("send_remittance", { quote_id, ...asked });
  expect(sent).toMatchObject({ structured: { outcome: "accepted" } });
  const { remittance_id } = sent.structured["remittance"] as { remittance_id: string };
  expect(await stage.call("get_remittance", { remittance_id })).toMatchObject({
    structured: { remittance: { remittance_id } },
  });
  expect(await stage.call("cancel_remittance", { remittance_id })).toMatchObject({
    structured: { outcome: "accepted" },
  });
}

/** As the person would have it: of the order that was denied, of the alert that there is, and of this very day. */
async function asked(stage: Stage, { ko, tool, args }: TaughtCall): Promise<Readonly<Record<string, unknown>>> {
  if (tool === "change_plan") {
    const { structured } = await stage.call("list_plans", {});
    const [plan] = structured["plans"] as readonly { readonly plan_id: string }[];
    return { ...args, plan_id: plan?.plan_id };
  }
  if (ko === "왜 거절됐어?") return { ...args, userref: "big" };
  const today = new Date().toISOString().slice(0, 10);
  return tool === "get_trade_history" ? { ...args, from: today, to: today } : args;
}

async function play(
  stage: Stage,
  call: TaughtCall,
  { before, meanwhile, isPlaced, isBegun, next }: Row,
): Promise<Answer> {
  expect(await stage.call("place_order", DIP)).toMatchObject({ isError: false });
  await before?.(stage);
  meanwhile?.(stage);
  const answer = await stage.call(call.tool, await asked(stage, call));
  if (isPlaced) {
    const { draft_id } = answer.structured;
    expect(await stage.call("place_order", { draft_id })).toMatchObject({ isError: false });
  }
  if (isBegun) {
    const { preview: _shown, ...made } = call.args;
    expect((await stage.call(call.tool, made)).structured).toMatchObject({ outcome: "accepted", state: "active" });
  }
  await next?.(stage, answer.structured);
  return answer;
}

it("is all there is in the skills' tables", () => {
  expect(Object.keys(ROWS).sort()).toEqual(rows.map(({ ko }) => ko).sort());
});

describe.concurrent("every call that the skills teach", () => {
  it.each(rows)("$ko: $tool", async (call) => {
    const row = ROWS[call.ko] ?? { answer: {} };
    const policy = { ...POLICY, mode: row.isWaiting ? "confirm" : "bounded" };
    const stage = await openStage({ policy, person: "nobody", drafts: true }, (env) => modernStdio({ env }));
    try {
      const had = stage.orders().length;
      const { isError, text, structured } = await play(stage, call, row);
      expect({ isError, text }).toEqual({ isError: false, text: expect.stringMatching(/^\[sandbox\] ./) });
      expect(structured).toMatchObject(row.answer);
      expect(text).toContain(row.says ?? "");
      const { orders = [] } = row;
      const isNamed = orders.some((order) => "userref" in order && order.userref === "dip-1");
      const dip = isNamed || row.isWaiting ? [] : [OPEN_DIP];
      expect(stage.orders().slice(had)).toMatchObject([...dip, ...orders]);
    } finally {
      await stage.close();
    }
  });
});
