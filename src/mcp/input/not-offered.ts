/**
 * Owns what hoga does not do, or not where it is asked for, and says so at once: whoever asks for a stop order gets one sentence, and no guess at what
 * else it may have meant.
 *
 * Invariant: none of these words is a field or a value of a tool.
 */

const TRIGGERED =
  "hoga has no stop, stop-loss, take-profit, trailing or other orders that wait for a price; tell the user, and do not imitate one by watching the price";
const LATER =
  "hoga has no recurring or scheduled orders; tell the user, and do not imitate them by placing orders later";
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

/** For whoever has not asked yet. @param hasAlerts whether alerts can be made here */
export function lackingHere(hasAlerts: boolean): string {
  const alerts = hasAlerts ? "" : " price alerts,";
  return `There are no stop, take-profit, trailing or recurring orders,${alerts} margin or leverage here: say so, and do not imitate them.`;
}
