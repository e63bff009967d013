/** Tells a person what an exchange promises and has, from its card: which level of proof, and what to know before a key is made for it. */
import type { VenueCard } from "../contract/index.ts";
import { type Say, sayFrom, type Words } from "./words.ts";

const VENUES_EN = {
  "venue.proof.tests": "proved in tests: {levels}",
  "venue.proof.none": "nothing proved yet",
  "venue.proof.L1": "bytes",
  "venue.proof.L2": "answers",
  "venue.proof.L3": "faults",
  "venue.proof.read": "read with a real key on {day}",
  "venue.proof.read_here": "read here with a real key on {day} (hoga probe)",
  "venue.proof.ordered_here": "a real order placed and canceled here on {day}",
  "venue.proof.unread": "never tried with a real key",
  "venue.proof.ordered": "a real order placed and canceled on {day}",
  "venue.proof.unordered": "no real order was ever sent",
  "venue.proof.own": "the exchange that hoga specifies, and its sandbox",
  "venue.name": "Name in a profile: {name}. Markets in {quotes}. API at {hosts}.",
  "venue.nowhere": "the address of the profile",
  "venue.orders": "Orders: {types}; limit orders {limit}; market orders {market}; post-only {post_only}.",
  "venue.post_only.yes": "taken",
  "venue.post_only.no": "not taken",
  "venue.by.cost": "A market {side} is an amount of the quote currency.",
  "venue.by.volume": "A market {side} is a number of coins.",
  "venue.absence.nonce": '"Not found" is final once a later call of the same key was answered.',
  "venue.absence.never":
    '"Not found" proves nothing there: an order without an answer stays unknown until it is found or a person decides (hoga settle). It is never sent twice.',
  "venue.absence.expiry": '"Not found" is final some time after a request has run out, where two look-ups agree.',
  "venue.plans.all":
    "Plans: stop, take_profit, trailing_stop, oco, recurring, slices, rebalance and alert all work there.",
  "venue.plans.no_buy_limit":
    "Plans: stop, take_profit, trailing_stop, oco, recurring, slices, rebalance and alert all work there; a plan that buys takes no limit_price.",
  "venue.plans.resting":
    "Plans: alert, recurring and slices without limit_price, and stop with limit_price work there; what sells at once at a trigger does not.",
  "venue.plans.kept":
    "The exchange's own orders at a trigger are not used yet: hoga watches by itself, and only while it runs.",
  "venue.no_timer": "It has no timer of its own that cancels: hoga cancels, only while it runs.",
  "venue.no_test": "It does not check orders in advance: a preview is hoga's own.",
  "venue.id_alone": "Its answer to an order is an id alone: hoga looks what became of it.",
  "venue.id_used_up": "A refused order uses up its id too; hoga gives each order a new one.",
  "venue.assumed":
    "A list of markets shows ticks, minimum and fees as they are published or assumed: those of a market are asked for, with the key, before an order.",
  "venue.per_market":
    "Open orders are listed market by market. Where not all markets could be asked, hoga says how many were looked through.",
  "venue.history": "Ended orders are listed {days} days at a time.",
  "venue.history_read": "Where nobody says from when, the orders of the last {days} days are read.",
  "venue.history_end": "It lists ended orders and trades of the last {hours} hours alone: hoga keeps what it has read.",
  "venue.found_for": "An order that ended without a trade is found for {days} days.",
  "venue.fee_divided": "It tells one fee an order: that of a fill is its share by value.",
  "venue.rates": "Limits: {rates}.",
  "venue.ban": "Who goes on over them is shut out ({ban}); then cancels do not go either.",
  "venue.advice": "Before you begin:",
  "venue.advice.key":
    "Make a key for hoga alone, with these rights and no more: {permissions}. Never the right to withdraw.",
  "venue.advice.address": "Put this machine's address on the key's list.",
  "venue.advice.life": "The key ends after {days} days: note the day.",
  "venue.advice.hand":
    "The account may be used by hand beside it; hoga sees such orders and does not count them as its own.",
  "venue.unproven": "What stands on no document:",
} as const;

const VENUES_KO: Readonly<Record<keyof typeof VENUES_EN, string>> = {
  "venue.proof.tests": "테스트로 확인: {levels}",
  "venue.proof.none": "아직 확인된 것이 없음",
  "venue.proof.L1": "요청 서명",
  "venue.proof.L2": "응답 읽기",
  "venue.proof.L3": "장애 상황",
  "venue.proof.read": "{day}에 실제 키로 조회",
  "venue.proof.read_here": "{day}에 여기서 실제 키로 조회함(hoga probe)",
  "venue.proof.ordered_here": "{day}에 여기서 실제 주문을 내고 취소함",
  "venue.proof.unread": "실제 키로는 아직 써 보지 않음",
  "venue.proof.ordered": "{day}에 실제 주문을 넣고 취소함",
  "venue.proof.unordered": "실제 주문은 한 번도 보내지 않음",
  "venue.proof.own": "hoga가 직접 정한 거래소와 그 샌드박스",
  "venue.name": "프로필에 쓰는 이름: {name}. 마켓: {quotes}. API 주소: {hosts}.",
  "venue.nowhere": "프로필에 적은 주소",
  "venue.orders": "주문: {types}. 지정가 {limit}, 시장가 {market}, 메이커 전용(post-only) {post_only}.",
  "venue.post_only.yes": "가능",
  "venue.post_only.no": "불가",
  "venue.by.cost": "시장가 {side} 주문은 금액으로 넣습니다.",
  "venue.by.volume": "시장가 {side} 주문은 코인 수량으로 넣습니다.",
  "venue.absence.nonce": '같은 키의 다음 호출에 답이 오고 나면 "주문 없음"은 확실합니다.',
  "venue.absence.never":
    '이 거래소의 "주문 없음"은 아무것도 증명하지 못합니다. 답이 없는 주문은 찾아지거나 사람이 정할 때까지(hoga settle) 알 수 없음으로 남고, 절대 다시 보내지 않습니다.',
  "venue.absence.expiry": '요청의 유효 시간이 지나고 두 번의 조회가 같은 답을 하면 "주문 없음"은 확실합니다.',
  "venue.plans.all":
    "예약: 손절, 익절, 트레일링 스탑, OCO, 적립식 매수, 분할 주문, 리밸런싱, 알림을 모두 쓸 수 있습니다.",
  "venue.plans.no_buy_limit":
    "예약: 손절, 익절, 트레일링 스탑, OCO, 적립식 매수, 분할 주문, 리밸런싱, 알림을 모두 쓸 수 있습니다. 다만 매수하는 예약에는 limit_price를 넣을 수 없습니다.",
  "venue.plans.resting":
    "예약: 알림, limit_price 없는 적립식 매수와 분할 주문, limit_price를 넣은 손절을 쓸 수 있습니다. 발동 즉시 파는 예약은 쓸 수 없습니다.",
  "venue.plans.kept":
    "거래소의 예약(감시가) 주문은 아직 쓰지 않습니다. hoga가 시세를 직접 감시하며, 켜져 있는 동안에만 작동합니다.",
  "venue.no_timer": "거래소에는 자동 취소 타이머가 없습니다. hoga가 켜져 있는 동안에만 hoga가 취소합니다.",
  "venue.no_test": "주문을 미리 확인받을 수 없습니다. 미리보기는 hoga가 직접 따져 본 것입니다.",
  "venue.id_alone": "주문에 대한 응답은 주문 번호뿐입니다. 어떻게 되었는지는 hoga가 조회합니다.",
  "venue.id_used_up": "거절된 주문의 식별자도 다시 쓸 수 없습니다. hoga는 주문마다 새 식별자를 씁니다.",
  "venue.assumed":
    "마켓 목록의 호가 단위, 최소 주문 금액, 수수료는 공개된 표나 가정한 값입니다. 주문하기 전에 그 마켓의 값을 키로 조회합니다.",
  "venue.per_market":
    "미체결 주문은 마켓마다 따로 조회해야 합니다. 모든 마켓을 보지 못했으면 몇 곳을 보았는지 알려 드립니다.",
  "venue.history": "끝난 주문은 한 번에 {days}일치씩 조회됩니다.",
  "venue.history_read": "시작일을 정하지 않으면 최근 {days}일의 주문을 읽습니다.",
  "venue.history_end": "끝난 주문과 체결은 최근 {hours}시간 것만 조회됩니다. hoga는 읽어 둔 것을 보관합니다.",
  "venue.found_for": "체결 없이 끝난 주문은 {days}일 동안만 조회됩니다.",
  "venue.fee_divided": "수수료는 주문 단위로만 알려 줍니다. 체결마다의 수수료는 금액 비율로 나눈 값입니다.",
  "venue.rates": "호출 한도: {rates}.",
  "venue.ban": "한도를 계속 넘으면 차단되며({ban}), 그동안은 취소도 나가지 않습니다.",
  "venue.advice": "시작하기 전에:",
  "venue.advice.key": "hoga 전용 키를 만들고 다음 권한만 주십시오: {permissions}. 출금 권한은 절대 주지 마십시오.",
  "venue.advice.address": "이 컴퓨터의 IP 주소를 키에 등록하십시오.",
  "venue.advice.life": "키는 {days}일 뒤에 만료됩니다. 날짜를 적어 두십시오.",
  "venue.advice.hand": "같은 계정을 손으로 함께 써도 됩니다. 그런 주문은 보이지만 hoga의 주문으로 세지 않습니다.",
  "venue.unproven": "문서로 확인되지 않은 것:",
};

export const VENUE_CATALOGS = { en: VENUES_EN, ko: VENUES_KO } as const;

const LEVELS = { L1: "venue.proof.L1", L2: "venue.proof.L2", L3: "venue.proof.L3" } as const;
const BY = { cost: "venue.by.cost", volume: "venue.by.volume" } as const;

type Said = Pick<Words, "say" | "locale">;
type VenueSay = Say<typeof VENUES_EN>;

function venueSay({ locale }: Pick<Words, "locale">): VenueSay {
  return sayFrom<typeof VENUES_EN>(VENUE_CATALOGS[locale]);
}

export function titleOf({ title }: Pick<VenueCard, "title">, { locale }: Pick<Words, "locale">): string {
  return locale === "ko" ? title.ko : title.en;
}

/** The days on which a person's own probe read there, and placed an order. */
interface TriedHere {
  readonly day: string;
  readonly ordered_on: string | null;
}

/** One line: what is proved in tests, and whether anybody ever tried it with a key. @param here with a key of whoever reads */
export function proofWords(
  { name, proof }: Pick<VenueCard, "name" | "proof">,
  words: Pick<Words, "locale">,
  here?: TriedHere,
): string {
  const say = venueSay(words);
  if (name === "hoga") return say("venue.proof.own");
  const levels = (["L1", "L2", "L3"] as const).filter((level) => proof[level] !== null);
  const named = levels.map((level) => say(LEVELS[level])).join(", ");
  return [
    levels.length === 0 ? say("venue.proof.none") : say("venue.proof.tests", { levels: named }),
    read(proof.L4, here?.day, say),
    ordered(proof.L5, here?.ordered_on, say),
  ].join("; ");
}

function read(day: string | null, here: string | undefined, say: VenueSay): string {
  if (here !== undefined) return say("venue.proof.read_here", { day: here });
  return day === null ? say("venue.proof.unread") : say("venue.proof.read", { day });
}

function ordered(day: string | null, here: string | null | undefined, say: VenueSay): string {
  if (here != null) return say("venue.proof.ordered_here", { day: here });
  return day === null ? say("venue.proof.unordered") : say("venue.proof.ordered", { day });
}

/**
 * All of a card that a person has to know, line by line.
 * @param translated the card's own sentences in the reader's language; one that is not there is shown as the card has it
 */
export function cardLines(
  card: VenueCard,
  words: Said,
  translated: Readonly<Record<string, string>>,
  here?: TriedHere,
): readonly string[] {
  const say = venueSay(words);
  const told = (sentence: string): string => translated[sentence] ?? sentence;
  const facts = {
    name: card.name,
    quotes: card.quotes.join(", "),
    hosts: card.hosts.join(", ") || say("venue.nowhere"),
  };
  const orders = {
    types: card.types.map((type) => words.say(`type.${type}`)).join(", "),
    limit: card.time_in_force.limit.join(", "),
    market: card.time_in_force.market.join(", "),
    post_only: say(card.post_only === "none" ? "venue.post_only.no" : "venue.post_only.yes"),
  };
  return [
    `${titleOf(card, words)}: ${proofWords(card, words, here)}.`,
    say("venue.name", facts),
    say("venue.orders", orders),
    ...bySize(card, words),
    say(absenceKey(card)),
    ...plansThere(card, words),
    ...lackedBy(card, say),
    ...pastOf(card, say),
    ...(card.fee_per_fill ? [] : [say("venue.fee_divided")]),
    say("venue.rates", { rates: card.rates.map(told).join("; ") }),
    ...(card.ban === null ? [] : [say("venue.ban", { ban: told(card.ban) })]),
    "",
    ...adviceList(adviceLines(card, words), words),
    ...(card.unproven.length === 0
      ? []
      : ["", say("venue.unproven"), ...card.unproven.map((line) => `- ${told(line)}`)]),
  ];
}

/** What to do before a key is made, and to look at again later. */
export function adviceLines({ auth }: Pick<VenueCard, "auth">, words: Pick<Words, "locale">): readonly string[] {
  const say = venueSay(words);
  return [
    say("venue.advice.key", { permissions: auth.permissions.join(", ") }),
    ...(auth.ip_allow_list ? [say("venue.advice.address")] : []),
    ...(auth.key_life_days === null ? [] : [say("venue.advice.life", { days: String(auth.key_life_days) })]),
    say("venue.advice.hand"),
  ];
}

/** The same under its heading. */
export function adviceList(advice: readonly string[], words: Pick<Words, "locale">): readonly string[] {
  return [venueSay(words)("venue.advice"), ...advice.map((line) => `- ${line}`)];
}

function bySize({ market_buy_by: buy, market_sell_by: sell }: VenueCard, words: Said): readonly string[] {
  const say = venueSay(words);
  return [
    ...(buy === "both" ? [] : [say(BY[buy], { side: words.say("side.buy") })]),
    ...(sell === "both" ? [] : [say(BY[sell], { side: words.say("side.sell") })]),
  ];
}

/** Which kinds of plans work there; the exchange's own orders at a trigger are not used. */
export function plansThere(
  { time_in_force: { limit, limit_sell: sells = limit } }: Pick<VenueCard, "time_in_force">,
  words: Pick<Words, "locale">,
): readonly [works: string, kept: string] {
  const say = venueSay(words);
  const [buys, sold] = [limit.includes("IOC"), sells.includes("IOC")];
  const works = sold ? (buys ? "venue.plans.all" : "venue.plans.no_buy_limit") : "venue.plans.resting";
  return [say(works), say("venue.plans.kept")];
}

function absenceKey({ absence }: VenueCard) {
  if (absence.by === "nonce") return "venue.absence.nonce";
  return absence.by === "expiry" && absence.at === "engine" ? "venue.absence.expiry" : "venue.absence.never";
}

/** What it has not, a sentence each. */
function lackedBy(card: VenueCard, say: VenueSay): readonly string[] {
  return [
    ...(card.test_order ? [] : [say("venue.no_test")]),
    ...(card.place_answer === "id" ? [say("venue.id_alone")] : []),
    ...(card.client_id.burned_by_refusal ? [say("venue.id_used_up")] : []),
    ...(card.market_rules === "one_by_one" ? [say("venue.assumed")] : []),
    ...(card.open_orders === "per_market" ? [say("venue.per_market")] : []),
    ...(card.cancel_timer ? [] : [say("venue.no_timer")]),
  ];
}

/** How far back it lists, and finds. */
function pastOf({ history, lookup_retention_days: found }: VenueCard, say: VenueSay): readonly string[] {
  const { closed_days: listed, window_days: window, read_days: read } = history;
  return [
    ...(window === null ? [] : [say("venue.history", { days: String(window) })]),
    ...(read === null ? [] : [say("venue.history_read", { days: String(read) })]),
    ...(listed === null ? [] : [say("venue.history_end", { hours: String(listed * 24) })]),
    ...(found.canceled === null ? [] : [say("venue.found_for", { days: String(found.canceled) })]),
  ];
}
