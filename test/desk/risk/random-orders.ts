/** Orders and books at random in exact integers, and policies that let them through. */
import fc from "fast-check";
import type { BookLevel, CreateOrderBody } from "../../../src/contract/index.ts";
import { countedUp, notionalOf, price, quantity, rate } from "../../../src/decimal/index.ts";
import { decide, type JudgedBook, type Policy, type PolicyQuestion } from "../../../src/desk/risk/policy-decision.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { bookOf, POLICY, QUESTION } from "./policy-question.ts";

/** Prices and volumes in units of 10^-8, so that BigInt, and no code under test, knows the answer. */
export type Level = readonly [price: bigint, volume: bigint];
export interface Book {
  readonly buys: readonly Level[];
  readonly asks: readonly Level[];
}
export interface Order {
  readonly side: "buy" | "sell";
  /** Undefined for a market order. */
  readonly price: bigint | undefined;
  readonly volume: bigint;
}

export const units = fc.oneof(fc.bigInt(1n, 10n ** 10n), fc.bigInt(1n, 10n ** 17n));
const levels = (unit: fc.Arbitrary<bigint>, rising: boolean) =>
  fc
    .array(fc.tuple(unit, unit), { maxLength: 5 })
    .map((all) => all.sort(([a], [b]) => (a < b === rising ? -1 : 1)) as readonly Level[]);
export const books = (unit: fc.Arbitrary<bigint>): fc.Arbitrary<Book> =>
  fc.record({ buys: levels(unit, false), asks: levels(unit, true) });
export const orders = (unit: fc.Arbitrary<bigint>): fc.Arbitrary<Order> =>
  fc.record({ side, price: fc.option(unit, { nil: undefined }), volume: unit });
export const isFull = ({ buys, asks }: Book): boolean => buys.length > 0 && asks.length > 0;
export const side = fc.constantFrom("buy", "sell");
export const anyBook = books(units);
export const fullBook = anyBook.filter(isFull);
export const anyOrder = orders(units);
/** Worth no more than a limit may be written with. */
export const modest = fc.oneof(fc.bigInt(1n, 10n ** 9n), fc.bigInt(1n, 10n ** 13n));
export const modestBook = books(modest).filter(isFull);
export const modestOrder = orders(modest);

const levelText = ([price, volume]: Level): BookLevel => [textOf(price), textOf(volume)];
export const bookText = ({ buys, asks }: Book): JudgedBook => bookOf(buys.map(levelText), asks.map(levelText));

export function orderText({ side, price, volume }: Order): CreateOrderBody {
  const base = { symbol: "BTC/KRW", side, volume: textOf(volume) };
  return price === undefined ? { ...base, type: "market" } : { ...base, type: "limit", price: textOf(price) };
}

export function judged(policy: Partial<Policy>, question: Partial<PolicyQuestion>) {
  return decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
}

export function ruleOf(policy: Partial<Policy>, question: Partial<PolicyQuestion>): string {
  const verdict = judged(policy, question);
  return verdict.kind === "deny" ? verdict.denial.rule : verdict.kind;
}

export const ENDLESS = countedUp(notionalOf(price("9".repeat(18)), quantity("9".repeat(18))), 0);
/** Every limit that is not what the property is about. */
export const OPEN: Partial<Policy> = {
  maxOrder: ENDLESS,
  maxDay: ENDLESS,
  maxOpen: ENDLESS,
  maxOpenOrders: 1_000_000,
  maxOrdersPerMinute: 1_000_000,
  approvalOver: ENDLESS,
  priceCollar: rate("999999999999999999"),
  maxSlippage: rate("999999999999999999"),
};
