/**
 * Owns what hoga does not do, or not where it is asked for, and says so at once: whoever asks for a stop order gets one sentence, and no guess at what
 * else it may have meant.
 *
 * Invariant: what a tool has a field or a value for, it is not told that it is missing: `suggestion.ts` looks at those first.
 */

const TRIGGERED =
  "an order that waits for a price is a plan: create_plan with kind stop, take_profit, trailing_stop or oco, where that tool is listed; elsewhere tell the user that there is none. Do not imitate one by watching the price";
const LATER =
  "orders that repeat or come in pieces are a plan: create_plan with kind recurring or slices, where that tool is listed; elsewhere tell the user that there are none. Do not imitate them by placing orders later";
const ALERTS =
  "an alert is a plan of its own: create_plan with kind alert, where that tool is listed; elsewhere tell the user that there are no alerts. Do not imitate one by watching the price";
const BORROWED = "hoga has no margin, leverage, short selling or futures: it trades what the account holds";

/** Folded words, as fields or as values, in the names of other exchanges. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  [TRIGGERED]: [
    ...["stop", "stopprice", "stoploss", "stoplossprice", "stoplimit", "stoplimitprice", "stopmarket", "sl", "slprice"],
    ...["takeprofit", "takeprofitprice", "takeprofitlimit", "takeprofitmarket", "tp", "tpprice", "stoplosslimit"],
    ...["trigger", "triggerprice", "triggertype", "conditional", "condition", "activationprice"],
    ...["trailing", "trailingstop", "trailingstoplimit", "trailingstopmarket", "trailingdelta", "trailingpercent"],
    ...["callbackrate", "oco", "oto", "bracket", "ifdone", "ifthen", "attachalgoords"],
    ...["손절", "손절가", "익절", "익절가", "스탑", "스탑로스", "예약", "예약주문", "조건부", "감시가"],
  ],
  [LATER]: [
    ...["recurring", "repeat", "schedule", "scheduled", "scheduledat", "cron", "every", "frequency", "dca", "twap"],
    ...["starttm", "startat", "delay", "적립식", "정기", "자동매수"],
  ],
  [ALERTS]: ["alerts", "pricealert", "notify", "notification", "notifyat", "watchprice", "알림", "가격알림"],
  [BORROWED]: [
    ...["leverage", "margin", "marginmode", "margintype", "ismargin", "isisolated", "isolated", "cross", "tdmode"],
    ...["reduceonly", "closeposition", "positionside", "posside", "sideeffecttype", "borrow", "loan", "short", "long"],
    ...["futures", "perp", "perpetual", "swap", "레버리지", "마진", "신용", "공매도", "선물", "숏", "롱"],
  ],
};

/** Says what to say of a field or a value that asks for something that hoga does not do there; undefined of any other. @param word folded */
export function notOffered(word: string): string | undefined {
  return Object.keys(WORDS).find((sentence) => WORDS[sentence]?.includes(word));
}

/** The one of these sentences that a message has in it. */
export function lackingIn(message: string): string | undefined {
  return Object.keys(WORDS).find((sentence) => message.includes(sentence));
}

/** For whoever has not asked yet. @param hasPlans whether plans can be made here */
export function lackingHere(hasPlans: boolean): string {
  const plans = hasPlans ? "" : "stop, take-profit, trailing or recurring orders, price alerts, ";
  return `There are no ${plans}margin or leverage here: say so, and do not imitate them.`;
}
