/** Owns what people read of a rehearsal, in both languages. `{name}` is a place to fill. */
export const REHEARSALS_EN = {
  "rehearsal.past": "Past prices of {symbol}, from {from} to {to}: never a forecast.",
  "rehearsal.nothing": "The plan would have done nothing.",
  "rehearsal.stop": "At {at} the stop would have sold {volume}, {prices}: {value} at worst, after the fee.",
  "rehearsal.take": "At {at} the take-profit would have sold {volume}, {prices}: {value} at worst, after the fee.",
  "rehearsal.bought": "At {at} it would have bought {volume}, {prices}: {value} at worst, fee in.",
  "rehearsal.sold": "At {at} it would have sold {volume}, {prices}: {value} at worst, after the fee.",
  "rehearsal.price": "at {worst}",
  "rehearsal.prices": "at {worst} at worst and {best} at best",
  "rehearsal.unsure_floor": "Perhaps not all of it, or none: the price may have jumped over the floor.",
  "rehearsal.unsure_limit": "Perhaps not all of it, or none: the price may not have stood at the limit.",
  "rehearsal.more": "And {count} times more.",
  "rehearsal.spent": "In all, {count} times: {value} spent, fees in.",
  "rehearsal.brought": "In all, {count} times: {value} brought in, after fees.",
  "rehearsal.without": "{count} times nothing: there was no trade, or the price lay beyond the limit.",
  "rehearsal.unknown":
    "Candles do not know in which order the prices of one came, what others would have bought or sold then, or whether a price stood for two seconds.",
} as const;

export const REHEARSALS_KO: Readonly<Record<keyof typeof REHEARSALS_EN, string>> = {
  "rehearsal.past": "{symbol}의 과거 시세({from}부터 {to}까지)에 적용해 본 결과이며, 예측이 아닙니다.",
  "rehearsal.nothing": "이 예약은 한 번도 작동하지 않았을 것입니다.",
  "rehearsal.stop": "{at}: 손절로 {volume} 매도, {prices}. 최악의 경우 수수료 차감 후 {value}.",
  "rehearsal.take": "{at}: 익절로 {volume} 매도, {prices}. 최악의 경우 수수료 차감 후 {value}.",
  "rehearsal.bought": "{at}: {volume} 매수, {prices}. 최악의 경우 수수료 포함 {value}.",
  "rehearsal.sold": "{at}: {volume} 매도, {prices}. 최악의 경우 수수료 차감 후 {value}.",
  "rehearsal.price": "체결가 {worst}",
  "rehearsal.prices": "체결가는 최악 {worst}, 최선 {best}",
  "rehearsal.unsure_floor": "시세가 하한을 건너뛰어 일부만 팔렸거나 하나도 팔리지 않았을 수 있습니다.",
  "rehearsal.unsure_limit": "시세가 지정가에 머물지 않아 일부만 체결되었거나 하나도 체결되지 않았을 수 있습니다.",
  "rehearsal.more": "그 밖에 {count}번 더 있습니다.",
  "rehearsal.spent": "모두 {count}번, 수수료 포함 매수 금액 {value}.",
  "rehearsal.brought": "모두 {count}번, 수수료 차감 후 매도 대금 {value}.",
  "rehearsal.without": "{count}번은 거래가 없었거나 시세가 지정가를 벗어나 아무것도 체결되지 않았을 것입니다.",
  "rehearsal.unknown":
    "캔들만으로는 한 캔들 안에서 시세가 움직인 순서, 그때 호가에 쌓인 물량, 시세가 2초간 유지됐는지는 알 수 없습니다.",
};

export const REHEARSAL_CATALOGS = { en: REHEARSALS_EN, ko: REHEARSALS_KO } as const;
