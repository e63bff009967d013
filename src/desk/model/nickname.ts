/**
 * Lists what Korean traders call coins between themselves, by the coin's code. A nickname is no name that the venue gives, so it comes
 * after all of those; it has one meaning, and none where the venue has no such market.
 */
const NICKNAMES: Readonly<Record<string, readonly string[]>> = {
  BTC: ["비트", "빗코", "비코", "빗코인"],
  ETH: ["이더", "이더륨", "이덜"],
  XRP: ["리플", "엑알피", "리또속"],
  ETC: ["이클", "이더클", "이더클래식"],
  BCH: ["비캐", "비캐시", "비트캐시"],
  SOL: ["솔", "솔라"],
  DOGE: ["도지", "도지코"],
  ADA: ["에이다", "카르다노"],
  LINK: ["링크", "체링"],
  DOT: ["닷", "폴카"],
  AVAX: ["아발", "아발란"],
  TRX: ["트론", "트롱"],
  SHIB: ["시바", "시바견"],
  LTC: ["라코", "라이트"],
  XLM: ["스텔라"],
  SUI: ["수이"],
  NEAR: ["니어"],
  SAND: ["샌드", "샌박"],
};

/** @param folded letters alone, in Unicode's composed form */
export function coinNicknamed(folded: string): string | undefined {
  return Object.entries(NICKNAMES).find(([, names]) => names.includes(folded))?.[0];
}
