import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAULTS, LOCAL_FAULTS } from "../../src/contract/index.ts";
import { inUnit } from "../../src/decimal/index.ts";
import { decide, type Policy, type PolicyQuestion } from "../../src/desk/risk/policy-decision.ts";
import { wordsFor, wordsInFull } from "../../src/words/index.ts";
import { withSums } from "../../src/words/told.ts";
import { bookOf, NOW_MS, POLICY, QUESTION } from "../desk/risk/policy-question.ts";

const KOREAN = { locale: "ko", timeZone: "Asia/Seoul" } as const;
const inFull = await wordsInFull(KOREAN);
const { reason, told } = wordsFor(KOREAN);

describe("a reason to ask", () => {
  it.each([
    ["mode is confirm: a person approves every order", "설정(mode = confirm)에 따라 모두 사람이 승인합니다"],
    [
      "the order counts for ₩150,000, more than approval_over_krw ₩100,000",
      "주문 금액 ₩150,000 (15만원)이 승인 기준(approval_over_krw) ₩100,000 (10만원)보다 큽니다",
    ],
    [
      "the order counts for 1,500 USDT, more than approval_over_usdt 1,000 USDT",
      "주문 금액 1,500 USDT가 승인 기준(approval_over_usdt) 1,000 USDT보다 큽니다",
    ],
    [
      "it sells what is held and goes over max_order_usdt (5 USDT of 4 USDT)",
      "가지고 있는 코인을 팔면서 다음 한도를 넘습니다: max_order_usdt 4 USDT (이 주문까지 5 USDT)",
    ],
    [
      "nobody else sells in the book, so that the price of the market is not known; it sells what is held and goes over max_order_krw (₩5 of ₩4) and max_day_krw (₩9 of ₩8)",
      "호가에 다른 사람의 매도 주문이 없어 시세를 알 수 없습니다; 가지고 있는 코인을 팔면서 다음 한도를 넘습니다: max_order_krw ₩4 (이 주문까지 ₩5), max_day_krw ₩8 (이 주문까지 ₩9)",
    ],
    [
      "it comes to ₩150,000 at worst, more than ₩100,000 that may begin without one",
      "최악의 경우 ₩150,000 (15만원)으로, 승인 없이 시작할 수 있는 ₩100,000 (10만원)보다 큽니다",
    ],
    [
      "it comes to 1,500 USDT at worst, more than 1,000 USDT that may begin without one",
      "최악의 경우 1,500 USDT로, 승인 없이 시작할 수 있는 1,000 USDT보다 큽니다",
    ],
    ["it takes a protection away (stop_removal is ask)", "보호 예약을 해제합니다(stop_removal = ask)"],
    ["a reason of tomorrow", "a reason of tomorrow"],
  ])("%s", (why, said) => {
    expect(reason(why)).toBe(said);
  });
});

describe("the desk's own reasons", () => {
  const apart = bookOf([["80000000", "1"]], [["120000000", "1"]], NOW_MS);
  it.each<[string, Partial<Policy>, Partial<PolicyQuestion>]>([
    ["the mode", { mode: "confirm" }, {}],
    ["the value", { approvalOver: inUnit("1") }, {}],
    ["the spread", { maxSlippage: "off" }, { book: apart }],
  ])("are all known: %s", (_, policy, question) => {
    const verdict = decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
    if (verdict.kind !== "ask") throw new Error(JSON.stringify(verdict));
    expect(reason(verdict.why)).toMatch(/[가-힣]/);
    expect(reason(verdict.why)).not.toMatch(/\b(the|is|more|than|order)\b/);
  });
});

/** Everything that the desk warns of, once. What follows a fault's own sentence is not here. */
const WARNINGS: readonly (readonly [said: string, korean: string])[] = [
  [
    "Upbit does not check orders in advance: this preview is hoga's own.",
    "Upbit에서는 주문을 미리 확인받을 수 없습니다. 이 미리보기는 hoga가 직접 따져 본 것입니다.",
  ],
  [
    "hoga was never tried with a real key of Upbit: what it does there is proved in tests alone.",
    "Upbit에서는 실제 키로 hoga를 써 본 적이 아직 없습니다. 동작은 테스트로만 확인했습니다.",
  ],
  [
    "The book does not hold the whole size, only 0.004 BTC; the remainder would expire unfilled.",
    "호가에 물량이 모자라 0.004 BTC만 체결되고, 나머지는 체결되지 않은 채 끝납니다.",
  ],
  [
    "The book is thin for this size: the average price would be ₩102,400,000, 2.40% from the best.",
    "이 수량에 비해 호가가 얇습니다. 평균 체결가는 ₩102,400,000 (1억 240만원)으로, 최우선 호가와 2.40% 차이 납니다.",
  ],
  [
    "The book holds 0.004 of 0.01 BTC at ₩100,000,000 or better, so a FOK order would expire unfilled.",
    "₩100,000,000 (1억원) 또는 더 좋은 가격의 호가가 0.01 BTC 가운데 0.004뿐이어서, FOK 주문은 체결되지 않고 끝납니다.",
  ],
  [
    "The book holds 0 of 0.01 BTC at ₩99,950,000 or better, so an IOC order would expire unfilled.",
    "₩99,950,000 (9,995만원) 또는 더 좋은 가격의 호가가 0.01 BTC 가운데 0뿐이어서, IOC 주문은 체결되지 않고 끝납니다.",
  ],
  [
    "The book holds 0.004 of 0.01 BTC at ₩100,000,000 or better; the rest of an IOC order would expire.",
    "₩100,000,000 (1억원) 또는 더 좋은 가격의 호가가 0.01 BTC 가운데 0.004뿐입니다. IOC 주문의 나머지는 체결되지 않고 끝납니다.",
  ],
  [
    "The price ₩106,000,000 is 6.00% above the best ask of ₩100,000,000. Make sure that no digit is wrong.",
    "가격 ₩106,000,000 (1억 600만원)은 최우선 매도호가 ₩100,000,000 (1억원)보다 6.00% 높습니다. 자릿수가 맞는지 확인하십시오.",
  ],
  [
    "The price ₩9,000 is 90.00% below the best bid of ₩90,000. Make sure that no digit is wrong.",
    "가격 ₩9,000은 최우선 매수호가 ₩90,000 (9만원)보다 90.00% 낮습니다. 자릿수가 맞는지 확인하십시오.",
  ],
  [
    "The price ₩9,600 is 4.00% below what was last traded at, ₩9,999.5.",
    "가격 ₩9,600은 최근 체결가 ₩9,999.5보다 4.00% 낮습니다.",
  ],
  [
    "The price ₩9,600 is 4.00% above what was last traded at, ₩9,000.",
    "가격 ₩9,600은 최근 체결가 ₩9,000보다 4.00% 높습니다.",
  ],
  [
    "An own sell order at ₩9,000 is in the way: the exchange lets nobody trade with oneself, so this one would end where it meets that. Cancel or move that one first.",
    "내 매도 주문(₩9,000)이 앞에 있습니다. 거래소는 자기 주문끼리의 거래를 허용하지 않아, 이 주문은 거기서 끝납니다. 그 주문을 먼저 취소하거나 옮기십시오.",
  ],
  [
    'It leaves 0.00001 BTC, too little to be sold by itself: BTC/KRW takes at least 0.00004951 BTC. To sell all, base_volume "100%".',
    '0.00001 BTC가 남는데, 이것만 따로 팔 수는 없습니다(BTC/KRW 최소 0.00004951 BTC). 모두 팔려면 base_volume "100%"로 하십시오.',
  ],
  [
    "The account is left with 0.00001 BTC, too little to be sold by itself: BTC/KRW takes at least 0.00005 BTC.",
    "계좌에 0.00001 BTC가 남았는데, 이것만 따로 팔 수는 없습니다(BTC/KRW 최소 0.00005 BTC).",
  ],
  [
    "An order just like this one was placed 12 s ago, userref one (open). Place this one only if a second one is wanted.",
    "똑같은 주문을 12초 전에 냈습니다(userref one, 미체결). 하나 더 원할 때만 내십시오.",
  ],
];

/** Why a plan stands as it does, or why of one of its steps nothing came: each has its Korean whole, but for what a fault says behind it. */
const PLAN_WHYS: readonly string[] = [
  "All of it was sold.",
  "Nothing is left to sell.",
  "The market is below its floor, so nothing is sold.",
  "Its price has come, and no order of it could leave (EAPI:Invalid key).",
  "Its time has come, and no order of it could leave (EService:Unavailable).",
  "What it waits for cannot be read (ELocal:Venue unreachable).",
  "Nobody else buys on BTC/KRW, so nothing comes of it until somebody does.",
  "Nobody else sells on BTC/KRW, so nothing comes of it until somebody does.",
  "Nobody else buys or sells on BTC/KRW, so nothing comes of it until somebody does.",
  "Left as they are: ETH, XRP.",
  "Too few of its coins are free: less than its market takes.",
  "Too little came in, or is free, to buy what its market takes.",
  "Nobody knows whether Upbit took its order p-000000000000-0001, and Upbit can never prove that it did not: nothing else of the plan is sent, and hoga goes on looking.",
  "The journal does not know order u-1 any more.",
  "Order u-1 has ended and bought 0.1 BTC, less than can be sold.",
  "Of 0.4 BTC that order u-1 has bought other plans protect 0.1 BTC already: this one begins with the rest.",
  "Other plans protect the 0.2 BTC that order u-1 has bought: cancel one of them and start this one again, or cancel this one.",
  "Order u-1 was executed so low that the stop would lie below the lowest price that was approved: make another plan.",
  "Its end has come.",
  "Its end has come. ₩119,395.1 is left.",
  "Its end has come. Left as they are: ETH, XRP.",
  "Its end has come; 0.3 BTC was not sold.",
  "Its order was canceled.",
  "Its order was canceled. 0.3 BTC is left.",
  "Its order has expired at the exchange. 0.3 BTC is left.",
  "Its order was filled; 0.3 BTC was not free to sell.",
  "5 orders have sold 0.2 BTC in all, and 0.3 BTC is left: nobody bought it within the limits of the plan.",
  "The exchange refused its order.",
  "The file of limits (policy.toml) cannot be read, so no order of it may leave.",
  "The file of limits cannot be read, so no order of it may leave.",
  "Another order has the name of its next one.",
  "0.3 BTC that it would sell is locked in open order O-1: cancel that, and start the plan again.",
  "0.3 BTC that it would sell is locked in open orders O-1, O-2: cancel that, and start the plan again.",
  "0.3 BTC that it would sell is locked in open orders: cancel that, and start the plan again.",
  "Its process ended before it was sent. Nothing was sent.",
  "What became of its order p-000000000001-0001 has not been known for ten minutes: the exchange does not say.",
  "The exchange already has an order under userref p-000000000001-0001 (order_id O-1, open), which the journal does not know. Nothing was sent.",
  "Nobody looked after it in time.",
  "It could not be sent in time.",
  "It could not be sent in time (EService:Unavailable).",
  "All 12 are over: 9 executed, 1 not filled, 1 missed, 1 denied.",
  "All 3 are over: 0 executed, 1 rejected, 1 never placed, 1 left out.",
  "All 4 are over: 4 executed. ₩119,395.1 is left.",
  "All 1 are over: 1 executed. Left as they are: ETH, XRP.",
  "The limits that have denied its order would let it leave now: start the plan again, or cancel it.",
  "Canceled by a person. It ends as soon as its order has.",
  "Something inside hoga itself failed each time that it was to sell. What it was is in the log of the server.",
  "Nobody approved this plan in time. Nothing was sent.",
  "A person has denied this plan. Nothing was sent.",
  "Its end has come: 2026-11-21T14:32:33.000Z. Nothing was sent.",
  "Plan plan-1, whose place it was to take, has ended. Nothing was sent.",
  "It waits without what it was asked by. Nothing was sent.",
  "It comes to ₩150,000 at worst now and came to ₩100,000 when it was asked for: more than approval_drift_pct allows. Nothing was sent.",
  "The market has reached the trigger since it was asked for: place an order, if it is still wanted. Nothing was sent.",
  "The market has fallen since it was asked for: its stop would begin at ₩97,020,000, where its floor ₩100,000,000 lets it sell nothing. Nothing was sent.",
  "None of its turns is left. Nothing was sent.",
  "The question was withdrawn by the call that asked it.",
];

/** Known too, each by its first words; a figure stands for every other. */
const OTHER_WARNINGS: readonly string[] = [
  "No hoga server of this profile runs, and until one does nobody watches: a person starts it with `hoga start`, or for good with `hoga service install`.",
  "The same was asked for at 2026-11-21T14:32:33.000Z: this is that plan, and no second one was made. With another note it is a plan of its own.",
  "The plan is paused already. Nothing was changed.",
  "Trading is halted, so that it would be refused now.",
  "A person would have to approve it: it takes a protection away (stop_removal is ask).",
  "This plan does not wait for approval any more; nothing was changed now.",
  "A person is asked about it already; they are not asked twice.",
  "An order of it is still under way: cancel that too, if it is not wanted.",
  "Its order may still be at the exchange: while a hoga server runs it is canceled again until it is gone.",
  "a person starts a plan again where money may be real",
  "it takes the place of a protection (stop_removal is ask)",
  "How far the market ordinarily moves could not be read.",
  "Nothing is bought while the market is above limit_price: the best ask is ₩100,000.",
  "Its orders sell 3 BTC in all, and 1 BTC is free now: one that comes when too little is free is refused, and told.",
  "Its orders cost ₩60,030 in all, fees in, and ₩30,000 is free now: one that comes when too little is free is refused, and told.",
  "Nothing is sold while the market is below limit_price: the best bid is ₩100,000.",
  "Ordinary movement will trigger it: stop_price is ₩1,000 from the market, which lately moved ₩2,000 in an ordinary minute.",
  "KRW is not named: it is not counted, and no more is bought than sells bring.",
  "XRP is left as it is, or in part: coins of it are in open orders.",
  "Only the assets that are named are touched: others are left, and not counted.",
  "All orders were canceled.",
  "Plans that may buy stand still until a person resumes them: plan-1, plan-2.",
  "Plans that protect coins go on, as canceling orders takes no protection away: plan-1.",
  "Stops whose order rests stand still where that was canceled too, and protect nothing until a person starts them again: plan-1, plan-2.",
  "Open plans protect these coins (plan-1), and this sell leaves them too few.",
  "Open plans protect these coins (plan-1, plan-2), and this sell leaves them too few: 0.33 BTC of 1 BTC",
  "Canceled by a person.",
  "Started again by the assistant.",
  "Trading was halted.",
  "The same order already waits for approval; no second one was made.",
  "The same order was sent before as userref u-1, and nobody may have heard of it: to place this would be answered with that one.",
  "The same order was sent before as userref u-1, and nobody may have heard of it: this is that one. No second order was placed.",
  "The same order is already approved and may be about to be sent as userref u-1, and has no answer yet. Nothing was sent now.",
  "The same order was sent before as userref u-1, and has no answer yet. Nothing was sent now.",
  "An order with userref u-1 was requested before; this is that order, nothing was sent.",
  "It was asked for before; this is that one, nothing was sent now.",
  "A person approved it at this very moment: BTC/KRW, userref u-1. Look what became of it.",
  "This order does not wait for approval any more; nothing was sent now.",
  "This transfer does not wait for approval any more; nothing was sent now.",
  "The form was dismissed without an answer, so it still waits. To withdraw it, use cancel_order with userref u-1.",
  "The client brought no answer that can be read, so it still waits. To withdraw it, use cancel_order with userref u-1.",
  "The press of the ticket's button is no approval, as the order is not what the ticket showed.",
  "The press of the ticket's button is no approval, as the order is not what the ticket showed. A person is asked for another reason.",
  "The press of the ticket's button is no approval, as the order is not what the ticket showed. The market has moved by more than approval_drift_pct since.",
  "The call that asked for this order was withdrawn after it had been sent, so it counts as sent. Cancel it if it is not wanted.",
  "The call that asked for it was withdrawn after it had been sent, so it counts as sent.",
  "A person had said that this order was not placed; the exchange shows it.",
  "Another process settled it meanwhile; nothing was changed here.",
  "The order named was moved: this is what stood in its place, userref u-1.",
  "A change of it, userref u-1, was about to be placed and was withdrawn.",
  "How 3 orders that are no longer open ended is not known.",
  "Trading was halted: ₩50,000 were lost today, and max_day_loss_krw is ₩10,000. What was open is canceled.",
  "Trading was halted: 120 USDT were lost today, and max_day_loss_usdt is 100 USDT. What was open is canceled.",
  "nothing is bought while the market is above limit_price: the best ask is 0.5 USDT.",
  "confirm_payment t-1 has no answer yet; what is shown may change by it.",
  "Transfers without an answer besides these: 3.",
  "send_remittance t-1 has had no answer since 2026-07-20T09:00:00.000Z and may have been made: send ₩5; account a-1. Look with get_remittance.",
  "send_remittance t-1 is let through since 2026-07-20T09:00:00.000Z and not sent yet: send ₩5; account a-1. Look with get_remittance.",
  "1.5 DOGE that had no known cost were sold in the period: what that earned is not known, and in no profit.",
  "DOGE has no price in KRW: it is in no value.",
  "Fees were paid in DOGE, for which their fills have no price in KRW: they are in no figure.",
  "The balances moved while they were read: ask again for figures of one moment.",
  "DOGE left the account without a fill, and was traded meanwhile: before or after which trade is not known, it counts as gone at 2026-07-20T09:00:00.000Z, and cost and profit of DOGE with it.",
  "Deposits and withdrawals of before 2026-07-20T09:00:00.000Z are not known: what was there then counts on every day before.",
  "What came or went without a fill between 2026-07-20T09:00:00.000Z and 2026-07-21T09:00:00.000Z counts from then on: on which day that was is not known.",
  "No totals yet: the trades are still being read from the exchange, behind all other calls (40 so far, back to 2026-07-20T09:00:00.000Z). Ask again.",
  "Cost and profit are not known yet: the trades are still being read from the exchange, behind all other calls (0 so far). Ask again.",
  "Trades are not known of this time: before 2026-07-20T09:00:00.000Z, 2026-07-21T09:00:00.000Z to 2026-07-22T09:00:00.000Z. The exchange lists those of the last 36 hours alone, and hoga did not look in time. They are in no figure.",
  "Trades before 2026-07-20T09:00:00.000Z may be missing from the list, and are in the totals as far as hoga has read them: the exchange lists those of the last 36 hours alone.",
  "Until the exchange has named the account, nothing is known of its orders without an answer or waiting for a person, its limits and its cancel timer, though none are shown.",
  "It waits for order u-1 to end, and protects nothing before.",
  "Order u-1 has ended and bought nothing.",
  "Order u-1 has ended and bought nothing. Nothing was sent.",
  "Order u-1 has ended and bought 0.00001 BTC, less than can be sold.",
  "Order u-1 was executed so low that the stop would lie below the lowest price that was approved: make another plan.",
  "The journal does not know order u-1 any more.",
  "The loss of the day has reached its limit. No order passes.",
  "What was lost today cannot be counted. Only sells of what is held pass.",
];

/** With the sentence of a fault, which stays as it is. */
const WITH_FAULTS: readonly string[] = [
  "This step could not be recorded in the audit log.",
  "What became of this order could not be stored:",
  "What became of this transfer could not be stored:",
  "Not withdrawn, and may still be approved: buy 1 BTC on BTC/KRW at market, userref u-1.",
  "What waits for a person could not be withdrawn, and may still be approved.",
  "Userref u-1 may still be placed: look with get_order.",
  "Orders without an answer could not be listed.",
  "The halt could not be stored, so no other process obeys it.",
  "The exchange could not be asked for its state now; the one shown is as recorded.",
  "Payments and remittances without an answer could not be listed.",
  "No totals:",
  "Orders without an answer or waiting for a person, and limits, cannot be read, though none are shown.",
  "No order leaves now.",
  "Whether trading is halted cannot be read.",
  "Plans that may buy, or wait for a person, could not be stopped: look with list_plans.",
  "Plans cannot be read, though none are shown.",
];
const FAULT = "The store cannot be written.";

const KNOWN = [...WARNINGS.map(([said]) => said), ...OTHER_WARNINGS, ...WITH_FAULTS];

describe("what the desk warns of", () => {
  it.each(WARNINGS)("has its Korean, with sums as they are said: %s", (said, korean) => {
    expect(told(said)).toBe(korean);
    expect(wordsFor().told(said)).toBe(said);
  });

  it.each(OTHER_WARNINGS)("has its Korean: %s", (said) => {
    expect(told(said)).toMatch(/[가-힣]/);
    expect(told(said)).not.toMatch(/\b(the|is|are|was|were|would|not|it|and|order)\b/i);
  });

  it.each(WITH_FAULTS)("has its Korean before what a fault says: %s", (said) => {
    expect(told(`${said} ${FAULT}`)).toMatch(/[가-힣].*The store cannot be written\./);
    expect(told(`${said} ${FAULT}`)).not.toContain(said);
  });

  it.each([
    [
      "It could not be sent in time. The order would trade 6.405 % from the book's mid ₩100,000,000 on average, further than price_collar_pct 3: choose a nearer price. Nothing was sent.",
      "제때 주문을 내지 못했습니다. 예상 평균 체결가가 호가 중간가 ₩100,000,000 (1억원)에서 6.405% 벗어나, 한도(price_collar_pct) 3%를 넘습니다. 시세에 더 가까운 가격을 고르십시오. 보낸 것은 없습니다.",
    ],
    [
      "It could not be sent in time (EService:Unavailable). Please come back.",
      "제때 주문을 내지 못했습니다. 거래소가 지금 응답할 수 없습니다. (Please come back.)",
    ],
    [
      `Its price has come, and no order of it could leave (ELocal:Denied by policy). Trading was halted at 2026-11-21T14:32:33.000Z by "a person": cancels still work, and only a person lifts it. Nothing was sent.`,
      '발동 가격에 도달했지만 주문을 내지 못했습니다. 거래가 정지되어 있습니다(2026-11-21 23:32:33 UTC+9, 정지한 쪽: "a person"). 취소는 되며, 정지는 사람만 풀 수 있습니다. 보낸 것은 없습니다.',
    ],
    [
      `The exchange refused its order. ${FAULTS["EOrder:Insufficient funds"].meaning}`,
      "거래소가 이 예약의 주문을 거부했습니다. 주문 가능 금액이 주문과 수수료보다 적습니다.",
    ],
    [FAULTS["EOrder:Insufficient funds"].meaning, "주문 가능 금액이 주문과 수수료보다 적습니다."],
    [
      `No order leaves now. ${LOCAL_FAULTS["ELocal:Trading halted"].meaning}`,
      "지금은 주문이 나가지 않습니다. 거래가 정지되어 있어 주문하지 않습니다. 취소는 됩니다. 보낸 것은 없습니다.",
    ],
  ])("says in Korean what a fault says, wherever it stands: %s", (said, korean) => {
    expect(inFull.told(said)).toBe(korean);
  });

  it("leaves a comma behind a sum where it is", () => {
    const apart = "what would be paid is ₩5,000,500, or ₩5,000,500.25, and more";
    expect(withSums(apart, inFull)).toBe(
      "what would be paid is ₩5,000,500 (500만 500원), or ₩5,000,500.25 (500만 500.25원), and more",
    );
  });

  it.each(PLAN_WHYS)("has its Korean as the reason of a plan: %s", (said) => {
    expect(told(said)).toMatch(/[가-힣]/);
    expect(told(said)).not.toMatch(/\b(the|is|are|was|were|it|its|and|order)\b/i);
  });

  it("is listed wherever plans say one: why one stands as it does, and what is warned of when it is made", () => {
    const files = readdirSync("src/desk/plans", { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const written = files.flatMap((file) => saidOfPlans(file));
    expect(written.length).toBeGreaterThan(45);
    const known = [...PLAN_WHYS, ...OTHER_WARNINGS].map((each) => each.toLowerCase());
    expect(
      written.filter((sentence) => !known.some((each) => each.includes(longestPart(sentence).toLowerCase()))),
    ).toEqual([]);
  });

  it("is listed above, whichever file of the desk writes it", () => {
    const written = readdirSync("src/desk", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => warningsIn(file, readFileSync(`src/desk/${file}`, "utf8")));
    expect(written.length).toBeGreaterThan(30);
    const unlisted = written.filter((sentence) => !KNOWN.some((known) => known.includes(longestPart(sentence))));
    expect(unlisted).toEqual([]);
  });
});

/** Files that write nothing but warnings. */
const ALL_WARNINGS = /\/(order-warnings|dust-left)\.ts$/;
const SENTENCE = String.raw`(?:"((?:[^"\\]|\\.){12,})"|\x60([^\x60]{12,})\x60)`;
const PLACES = [
  String.raw`warnings: \[\s*`,
  String.raw`warnings: [^\n]* \[\s*`,
  String.raw`warnings\.push\(\s*`,
  String.raw`const (?:warning|before|old|only|moved|withdrawn|stillWaits|unread) =\s*`,
  String.raw`const (?:WITHDRAWN_LATE|CONTRADICTED) =\s*`,
];

/** The sentences in it, as they are written. */
function warningsIn(file: string, source: string): readonly string[] {
  const places = ALL_WARNINGS.test(file) ? ["(?:return |\\[|\\? |: )\\s*"] : PLACES;
  return places.flatMap((place) =>
    [...source.matchAll(new RegExp(place + SENTENCE, "g"))]
      .map(([, plain, template]) => plain ?? template ?? "")
      .filter((text) => / .*[.:]/.test(text)),
  );
}

/** Of a refusal, or what to do after one: that is its answer's, and not said of the plan. */
const REFUSED = new RegExp(
  `^(?:${[
    ...[
      "Another session",
      "This plan does not wait for approval\\.",
      "An order is under way",
      "Withdraw it",
      "Leave it",
    ],
    ...["The (?:answer|call|plan) (?:asks|comes|does|is not|that)", "Then look", "The exchange takes no order"],
    ...[
      "An alert trades never",
      "A plan that begins with a buy has no price",
      "the assets are at",
      "nothing of it can",
    ],
    ...["cancel one of these", "make it at most", "\\$\\{message", "the trigger is", "monthly"],
  ].join("|")})`,
);

/** What plans say: whole sentences, and what a list or a function has without capital and full stop. */
function saidOfPlans(file: string): readonly string[] {
  const source = readFileSync(`src/desk/plans/${file}`, "utf8").replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  const said = (place: string, isSaid: RegExp): readonly string[] =>
    [...source.matchAll(new RegExp(`${place}\\s*(?:"([^"\\n]*)"|\x60([^\x60]*)\x60)`, "g"))]
      .filter(([, aside]) => aside === "")
      .map(([, , plain, template]) => plain ?? template ?? "")
      .filter((text) => isSaid.test(text) && !REFUSED.test(text));
  return [
    ...said(String.raw`((?:message: |nextAction: |Error\()?)`, /^[A-Z$].* .*\.$/),
    ...said(String.raw`(?:\[|\breturn|\)\s*,|\?|\s:)()`, /^(?:[a-z]\w*|\$\{\w+\})(?: \S+){5,}[^.]$/),
  ];
}

/** What of a template stands whatever is filled in. */
function longestPart(template: string): string {
  const [longest = ""] = template.split(/\$\{[^}]*\}/).sort((a, b) => b.length - a.length);
  return longest.trim();
}
