/** Owns what people read of plans, in both languages; a catalog of its own, as no order needs it. `{name}` is a place to fill. */
export const PLANS_EN = {
  "plan.name": "plan",

  "kind.stop": "stop",
  "kind.take_profit": "take-profit",
  "kind.trailing_stop": "trailing stop",
  "kind.oco": "one cancels the other (OCO)",
  "kind.recurring": "regular buy",
  "kind.recurring_sell": "regular sell",
  "kind.slices": "sliced order",
  "kind.rebalance": "rebalancing",
  "kind.alert": "alert",

  "plan.question": "{money} Approve this plan of account {account}? One yes covers all its orders.",
  "plan.stop": "Sell up to {volume} on {symbol} when the price has stood at or below {trigger}, not below {floor}.",
  "plan.stop_bare": "Sell up to {volume} on {symbol} when the price has stood at or below {trigger}.",
  "plan.stop_rests":
    "When the price has stood at or below {trigger}, place a sell of up to {volume} on {symbol} at {limit}, which rests there.",
  "plan.take": "Sell up to {volume} on {symbol} at {trigger} or better.",
  "plan.trailing":
    "Sell up to {volume} on {symbol} when the price falls {trail} below its highest (now {high}: at {trigger}), not below {floor}.",
  "plan.trailing_then":
    "Sell up to {volume} on {symbol} when the price falls {trail} below its highest (then {high}: at {trigger}), not below {floor}.",
  "plan.then": "By the price of {time}: {text}",
  "plan.trailing_bare": "Sell up to {volume} on {symbol} when the price falls {trail} below its highest.",
  "plan.trailing_asked":
    "Sell up to {volume} on {symbol} when the price falls {trail} below its highest from its start on, not below {floor}. It starts at the best bid when it is approved: if it began at {high}, which was bid when it was asked for, it would sell at {trigger}.",
  "plan.oco": "One amount of {volume}: whichever comes first, never both.",
  "plan.after":
    "Begins when buy {order} has ended, with what it bought, {volume} at most; nothing is protected before.",
  "plan.after_stop":
    "Its prices are of the average price of the buy: stop {stop} below, take-profit {take} above. At {price}:",
  "plan.after_trail":
    "Its prices are of the average price of the buy: the stop {trail} below the highest from there, take-profit {take} above. At {price}:",
  "plan.recurring": "{side} {size} of {symbol} {schedule} ({zone}), {turns} times, next {next}.",
  "plan.recurring_bare": "{side} {size} of {symbol} {schedule} ({zone}).",
  "plan.worth": "{sum}",
  "plan.slices": "{side} {size} of {symbol} in {count} pieces over {duration}.",
  "plan.rebalance": "Bring the account to {shares}, sells first: {orders}.",
  "plan.basket_sell": "sell {volume} for about {sum}",
  "plan.basket_buy": "buy {base} for up to {sum}",
  "step.buy": "buy {symbol}",
  "step.sell": "sell {symbol}",
  "plan.rebalance_left": "Left as they are, or in part: {left}.",
  "plan.rebalance_named":
    "Buys spend what the sells bring and what was planned of the cash, no more. Other coins are left and not counted.",
  "left.small": "less than its market takes",
  "left.halted": "its market takes no orders now",
  "left.locked": "coins in open orders",
  "plan.no_higher": "No higher than {limit}.",
  "plan.no_lower": "No lower than {limit}.",
  "plan.alert_above": "Tell once when the price of {symbol} has stood at or above {price}.",
  "plan.alert_below": "Tell once when the price of {symbol} has stood at or below {price}.",
  "plan.alert_fill": "Tell once when an order on {symbol} executes.",
  "plan.alert_any_fill": "Tell once when any order executes.",
  "plan.alert_worth_above": "Tell once when everything is worth {sum} or more.",
  "plan.alert_worth_below": "Tell once when everything is worth {sum} or less.",
  "plan.alert_loss": "Tell once when today's loss is {sum} or more.",

  "plan.worst": "At most: {worst}. Ends {until}.",
  "plan.worst_buys": "{value} spent, fees in",
  "plan.worst_sells": "{volume} sold, worth {value} by the book when it was asked for",
  "plan.worst_sells_then": "{volume} sold, worth {value} at the price of {time}",
  "plan.worst_protects_then": "{worst}; the coins were worth {value} at the price of {time}",
  "plan.worst_protects":
    "sells up to {volume} at {floor} or better: at least {value} before fees where all of it sells; below that price it may sell nothing",
  "plan.worst_basket": "{value} in all: what it sells by the book when it was asked for and what it buys, fees in",
  "plan.worst_alert": "nothing, as it trades never",
  "plan.worst_never": "nothing, as it never began",

  "plan.limits":
    "Its sells may go over your order, open and daily limits; its price rule is {slippage} % below the best bid in place of the price collar.",
  "plan.runs":
    "It works only while hoga runs. While trading is halted it does not sell. A fast market can jump over the floor: then nothing is sold.",
  "plan.runs_dated":
    "It works only while hoga runs. While trading is halted it sends nothing, and what was missed is not made up.",
  "plan.yes": "Start this plan",
  "plan.yes_does": "Yes starts exactly this plan.",
  "plan.removal":
    "{money} The assistant wants to {action} plan {id}, which protects {volume} {asset}. Take this protection away?",
  "plan.resumes": "{money} Start plan {id} again, as you approved it?",
  "plan.replaces":
    "It takes the place of plan {id}, which stays as it is until you have said yes, and then ends. What ends ({kind}): {does}",
  "plan.instead": "In the place of plan {id} ({kind}): {does}",
  "plan.why": "Why you are asked: {why}.",
  "plan.yes_remove": "Take this protection away",
  "plan.yes_resume": "Start it again",
  "plan.change_does": "Yes does exactly this, to this plan alone.",

  "action.cancel": "cancel",
  "action.pause": "pause",
  "action.replace": "replace",

  "every.day": "daily {time}",
  "every.week": "weekly {days} {time}",
  "every.month": "monthly {days} {time}",
  "weekday.sun": "sun",
  "weekday.mon": "mon",
  "weekday.tue": "tue",
  "weekday.wed": "wed",
  "weekday.thu": "thu",
  "weekday.fri": "fri",
  "weekday.sat": "sat",
  "monthday.last": "last",
  "monthday.other": "{day}",
  "lasting.h": "{count} h",
  "lasting.m": "{count} min",
  "lasting.s": "{count} s",

  "state.preview": "preview",
  "state.awaiting_approval": "waits for a person",
  "state.active": "active",
  "state.paused": "paused",
  "state.attention": "needs a person",
  "state.done": "done",
  "state.denied": "denied",
  "state.lapsed": "lapsed",
  "state.canceled": "canceled",
  "state.expired": "expired",
  "state.replaced": "replaced",

  "figure.worst": "Worst case",
  "figure.reserved": "Set aside of the day's limit",
  "figure.until": "Ends",

  "gap.no server": "no hoga server ran",
  "gap.no stream": "the exchange could not be followed",
  "gap.clock": "this machine's clock is wrong",
} as const;

const PLANS_KO: Readonly<Record<keyof typeof PLANS_EN, string>> = {
  "plan.name": "예약",

  "kind.stop": "손절",
  "kind.take_profit": "익절",
  "kind.trailing_stop": "트레일링 스탑",
  "kind.oco": "OCO(먼저 닿는 쪽만)",
  "kind.recurring": "적립식 매수",
  "kind.recurring_sell": "정기 매도",
  "kind.slices": "분할 주문",
  "kind.rebalance": "리밸런싱",
  "kind.alert": "알림",

  "plan.question":
    "{money} 계좌 {account}: 이 예약을 승인하시겠습니까? 한 번 승인하면 이 예약의 주문을 건마다 다시 묻지 않습니다.",
  "plan.stop":
    "{symbol} 시세가 {trigger} 이하를 2초간 유지하면 최대 {volume}개를 매도합니다. {floor} 아래로는 팔지 않습니다.",
  "plan.stop_bare": "{symbol} 시세가 {trigger} 이하를 2초간 유지하면 최대 {volume}개를 매도합니다.",
  "plan.stop_rests":
    "{symbol} 시세가 {trigger} 이하를 2초간 유지하면 최대 {volume}개를 {limit}에 지정가 매도 주문합니다. 주문은 호가에 남아 체결을 기다립니다.",
  "plan.take": "{symbol} 시세가 {trigger} 이상이면 최대 {volume}개를 그 가격 이상에 매도합니다.",
  "plan.trailing":
    "{symbol} 시세가 고점 대비 {trail} 내리면 최대 {volume}개를 매도합니다. 현재 고점은 {high}, 발동 가격은 {trigger}이며, {floor} 아래로는 팔지 않습니다.",
  "plan.trailing_then":
    "{symbol} 시세가 고점 대비 {trail} 내리면 최대 {volume}개를 매도합니다. 그때 고점은 {high}, 발동 가격은 {trigger}이며, {floor} 아래로는 팔지 않습니다.",
  "plan.then": "{time} 시세 기준: {text}",
  "plan.trailing_bare": "{symbol} 시세가 고점 대비 {trail} 내리면 최대 {volume}개를 매도합니다.",
  "plan.trailing_asked":
    "{symbol} 시세가 예약 시작 이후의 고점 대비 {trail} 내리면 최대 {volume}개를 매도합니다. {floor} 아래로는 팔지 않습니다. 고점은 승인하는 순간의 최우선 매수호가에서 시작합니다. 요청 당시의 최우선 매수호가 {high}에서 시작한다면 발동 가격은 {trigger}입니다.",
  "plan.oco": "같은 {volume}개에 두 조건을 겁니다. 먼저 닿는 쪽만 실행하며, 둘 다 실행하는 일은 없습니다.",
  "plan.after":
    "매수 주문 {order}이(가) 끝나면 그 주문으로 산 만큼(최대 {volume}개) 시작합니다. 그 전에는 아무것도 보호하지 않습니다.",
  "plan.after_stop":
    "가격은 매수 평균 체결가를 기준으로 손절 -{stop}, 익절 +{take}입니다. 평균 체결가 {price} 기준으로는 다음과 같습니다.",
  "plan.after_trail":
    "가격은 매수 평균 체결가를 기준으로 정합니다. 손절은 매수 이후 고점 대비 {trail} 내릴 때, 익절은 +{take}입니다. 평균 체결가 {price} 기준으로는 다음과 같습니다.",
  "plan.recurring": "{schedule}({zone})에 {symbol} {size}을(를) {side}합니다. 앞으로 {turns}회, 다음 {next}.",
  "plan.recurring_bare": "{schedule}({zone})에 {symbol} {size}을(를) {side}합니다.",
  "plan.worth": "{sum}어치",
  "plan.slices": "{symbol} {size}을(를) {duration} 동안 {count}번에 나눠 {side}합니다.",
  "plan.rebalance": "계좌 비중을 {shares}로 맞춥니다. 주문은 매도, 매수 순으로 냅니다: {orders}.",
  "plan.basket_sell": "{volume} 매도, 약 {sum}",
  "plan.basket_buy": "{base} 매수, 최대 {sum}",
  "step.buy": "{symbol} 매수",
  "step.sell": "{symbol} 매도",
  "plan.rebalance_left": "그대로 두거나 일부만 맞추는 자산: {left}.",
  "plan.rebalance_named":
    "매수에는 매도 대금과 미리 정한 현금만 씁니다. 비중을 정하지 않은 코인은 그대로 두고 계산에도 넣지 않습니다.",
  "left.small": "최소 주문 금액 미만",
  "left.halted": "거래 정지",
  "left.locked": "미체결 주문에 묶임",
  "plan.no_higher": "{limit}보다 비싸게 사지 않습니다.",
  "plan.no_lower": "{limit}보다 싸게 팔지 않습니다.",
  "plan.alert_above": "{symbol} 시세가 {price} 이상을 2초간 유지하면 한 번 알립니다.",
  "plan.alert_below": "{symbol} 시세가 {price} 이하를 2초간 유지하면 한 번 알립니다.",
  "plan.alert_fill": "{symbol} 주문이 체결되면 한 번 알립니다.",
  "plan.alert_any_fill": "어떤 주문이든 체결되면 한 번 알립니다.",
  "plan.alert_worth_above": "총 평가 금액이 {sum} 이상이면 한 번 알립니다.",
  "plan.alert_worth_below": "총 평가 금액이 {sum} 이하면 한 번 알립니다.",
  "plan.alert_loss": "오늘 손실이 {sum} 이상이면 한 번 알립니다.",

  "plan.worst": "최악의 경우: {worst}. 종료 {until}.",
  "plan.worst_buys": "매수에 {value} 사용, 수수료 포함",
  "plan.worst_sells": "모두 {volume} 매도, 요청 당시 호가로 {value}",
  "plan.worst_sells_then": "모두 {volume} 매도, {time} 시세로 {value}",
  "plan.worst_protects_then": "{worst}. {time} 시세로 이 코인의 평가 금액은 {value}",
  "plan.worst_protects":
    "{floor} 이상에 최대 {volume} 매도. 모두 팔리면 수수료 차감 전 {value} 이상이며, 시세가 그 가격보다 낮으면 하나도 팔리지 않을 수 있음",
  "plan.worst_basket": "매도(요청 당시 호가)와 매수(수수료 포함) 합계 {value}",
  "plan.worst_alert": "없음(주문하지 않음)",
  "plan.worst_never": "없음(시작하지 않음)",

  "plan.limits":
    "이 예약의 매도는 주문, 미체결, 하루 한도를 넘을 수 있습니다. 가격은 평소의 가격 제한 대신 최우선 매수호가보다 {slippage}% 낮은 가격까지 허용합니다.",
  "plan.runs":
    "hoga가 켜져 있는 동안에만 작동합니다. 거래가 정지된 동안에는 팔지 않습니다. 시세가 급변해 하한 아래로 건너뛰면 팔지 못합니다.",
  "plan.runs_dated":
    "hoga가 켜져 있는 동안에만 작동합니다. 거래가 정지된 동안에는 주문하지 않으며, 놓친 주문을 나중에 대신 내지 않습니다.",
  "plan.yes": "이 예약을 시작합니다",
  "plan.yes_does": "예를 고르면 정확히 이 예약만 시작합니다.",
  "plan.removal":
    "{money} 어시스턴트가 {asset} {volume}개를 보호하는 예약 {id}을(를) {action}하려 합니다. 이 보호를 해제하시겠습니까?",
  "plan.resumes": "{money} 예약 {id}을(를) 승인하신 그대로 다시 시작하시겠습니까?",
  "plan.replaces":
    "승인하시면 기존 예약 {id}을(를) 종료하고 이 예약으로 대신합니다. 그때까지는 기존 예약을 그대로 둡니다. 종료되는 예약({kind}): {does}",
  "plan.instead": "기존 예약 {id}을(를) 대신합니다. 기존 예약({kind}): {does}",
  "plan.why": "승인이 필요한 이유: {why}.",
  "plan.yes_remove": "이 보호를 해제합니다",
  "plan.yes_resume": "다시 시작합니다",
  "plan.change_does": "예를 고르면 정확히 위 내용만 이 예약에 적용합니다.",

  "action.cancel": "취소",
  "action.pause": "일시 정지",
  "action.replace": "교체",

  "every.day": "매일 {time}",
  "every.week": "매주 {days} {time}",
  "every.month": "매월 {days} {time}",
  "weekday.sun": "일",
  "weekday.mon": "월",
  "weekday.tue": "화",
  "weekday.wed": "수",
  "weekday.thu": "목",
  "weekday.fri": "금",
  "weekday.sat": "토",
  "monthday.last": "말일",
  "monthday.other": "{day}일",
  "lasting.h": "{count}시간",
  "lasting.m": "{count}분",
  "lasting.s": "{count}초",

  "state.preview": "미리보기",
  "state.awaiting_approval": "승인 대기",
  "state.active": "진행 중",
  "state.paused": "일시 정지",
  "state.attention": "확인 필요",
  "state.done": "완료",
  "state.denied": "승인 거부",
  "state.lapsed": "무효",
  "state.canceled": "취소",
  "state.expired": "기간 만료",
  "state.replaced": "교체됨",

  "figure.worst": "최악의 경우",
  "figure.reserved": "하루 한도에서 미리 잡아 둔 금액",
  "figure.until": "종료",

  "gap.no server": "hoga 서버 꺼짐",
  "gap.no stream": "거래소 시세를 받지 못함",
  "gap.clock": "이 컴퓨터의 시계가 맞지 않음",
};

export const PLAN_CATALOGS = { en: PLANS_EN, ko: PLANS_KO } as const;
