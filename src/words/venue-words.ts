/** Tells a person what an exchange promises and has, from its card: which level of proof, and what to know before a key is made for it. */
import type { VenueCard } from "../contract/index.ts";
import type { Words } from "./words.ts";

const LEVELS = { L1: "venue.proof.L1", L2: "venue.proof.L2", L3: "venue.proof.L3" } as const;
const BY = { cost: "venue.by.cost", volume: "venue.by.volume" } as const;

type Said = Pick<Words, "say" | "locale">;

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
  { say }: Pick<Words, "say">,
  here?: TriedHere,
): string {
  if (name === "hoga") return say("venue.proof.own");
  const levels = (["L1", "L2", "L3"] as const).filter((level) => proof[level] !== null);
  const named = levels.map((level) => say(LEVELS[level])).join(", ");
  return [
    levels.length === 0 ? say("venue.proof.none") : say("venue.proof.tests", { levels: named }),
    read(proof.L4, here?.day, say),
    ordered(proof.L5, here?.ordered_on, say),
  ].join("; ");
}

function read(day: string | null, here: string | undefined, say: Words["say"]): string {
  if (here !== undefined) return say("venue.proof.read_here", { day: here });
  return day === null ? say("venue.proof.unread") : say("venue.proof.read", { day });
}

function ordered(day: string | null, here: string | null | undefined, say: Words["say"]): string {
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
  const { say } = words;
  const told = (sentence: string): string => translated[sentence] ?? sentence;
  const facts = {
    name: card.name,
    quotes: card.quotes.join(", "),
    hosts: card.hosts.join(", ") || say("venue.nowhere"),
  };
  const orders = {
    types: card.types.map((type) => say(`type.${type}`)).join(", "),
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
    ...plansOf(card, say),
    ...lackedBy(card, say),
    ...pastOf(card, say),
    ...(card.fee_per_fill ? [] : [say("venue.fee_divided")]),
    say("venue.rates", { rates: card.rates.map(told).join("; ") }),
    ...(card.ban === null ? [] : [say("venue.ban", { ban: told(card.ban) })]),
    "",
    say("venue.advice"),
    ...adviceLines(card, words).map((line) => `- ${line}`),
    ...(card.unproven.length === 0
      ? []
      : ["", say("venue.unproven"), ...card.unproven.map((line) => `- ${told(line)}`)]),
  ];
}

/** What to do before a key is made, and to look at again later. */
export function adviceLines({ auth }: Pick<VenueCard, "auth">, { say }: Pick<Words, "say">): readonly string[] {
  return [
    say("venue.advice.key", { permissions: auth.permissions.join(", ") }),
    ...(auth.ip_allow_list ? [say("venue.advice.address")] : []),
    ...(auth.key_life_days === null ? [] : [say("venue.advice.life", { days: String(auth.key_life_days) })]),
    say("venue.advice.hand"),
  ];
}

function bySize({ market_buy_by: buy, market_sell_by: sell }: VenueCard, { say }: Said): readonly string[] {
  return [
    ...(buy === "both" ? [] : [say(BY[buy], { side: say("side.buy") })]),
    ...(sell === "both" ? [] : [say(BY[sell], { side: say("side.sell") })]),
  ];
}

/** Which kinds of plans work there; the exchange's own orders at a trigger are not used. */
function plansOf(
  { time_in_force: { limit, limit_sell: sells = limit } }: VenueCard,
  say: Words["say"],
): readonly string[] {
  const [buys, sold] = [limit.includes("IOC"), sells.includes("IOC")];
  if (!sold) return [say("venue.plans.resting"), say("venue.plans.kept")];
  return [say(buys ? "venue.plans.all" : "venue.plans.no_buy_limit"), say("venue.plans.kept")];
}

function absenceKey({ absence }: VenueCard) {
  if (absence.by === "nonce") return "venue.absence.nonce";
  return absence.by === "expiry" && absence.at === "engine" ? "venue.absence.expiry" : "venue.absence.never";
}

/** What it has not, a sentence each. */
function lackedBy(card: VenueCard, say: Words["say"]): readonly string[] {
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
function pastOf({ history, lookup_retention_days: found }: VenueCard, say: Words["say"]): readonly string[] {
  const { closed_days: listed, window_days: window, read_days: read } = history;
  return [
    ...(window === null ? [] : [say("venue.history", { days: String(window) })]),
    ...(read === null ? [] : [say("venue.history_read", { days: String(read) })]),
    ...(listed === null ? [] : [say("venue.history_end", { hours: String(listed * 24) })]),
    ...(found.canceled === null ? [] : [say("venue.found_for", { days: String(found.canceled) })]),
  ];
}
