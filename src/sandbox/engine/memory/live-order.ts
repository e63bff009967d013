/**
 * An order in memory, as a view of its row: made where it is needed, and kept by nobody beyond a command. Entry points: `LiveOrder`, which
 * says what others see of it, and `OrderView`.
 *
 * Invariants: while an order changes there is one view of it, through which it does; a record never changes, so that events, answers and snapshots show it as it was.
 */
import {
  ORDER_TRAITS,
  type OrderState,
  type OrderType,
  orderType,
  type Side,
  type TimeInForce,
} from "../../../contract/index.ts";
import type { FillRecord, Millis, OrderRecord, SettlementModeName, Units } from "../../model/index.ts";
import { floatOf } from "./amounts.ts";
import {
  EXECUTED_NAMES,
  EXECUTED_SLOT,
  type Level,
  NONE,
  OrderRows,
  type Page,
  type Row,
  SLOT,
  WORD,
} from "./order-rows.ts";
import { uuidText } from "./uuid-words.ts";

const STATES: readonly OrderState[] = ["open", "filled", "canceled", "expired"];
const TIMES_IN_FORCE: readonly TimeInForce[] = ["GTC", "IOC", "FOK"];
const TYPES: readonly OrderType[] = orderType.options;

/** Bits of the word `flags`, of which `executed` says that something is, or was said to be, executed of the order: a type takes three, a time in force two, and a state the two above all others. */
const FLAG = { sell: 1, postOnly: 4, standardKrw: 8, byAmount: 16, house: 32, executed: 64 };
const TIME_IN_FORCE_AT = 8;
const TYPE_AT = 10;
const STATE_AT = 13;
const TWO_BITS = 3;
const THREE_BITS = 7;

/** What an order keeps of its account. */
export interface NumberedAccount {
  readonly number: number;
  readonly house: boolean;
}

/** What stands for an order where a view of it may not be kept, for as long as the order is in memory. */
export type Handle = Row;

export interface LiveOrder extends Omit<OrderRecord, "keyId" | "price" | "volume" | "amount" | "postOnly" | "reason"> {
  readonly handle: Handle;
  /** The number of its account. */
  readonly account: number;
  /** It is one of the exchange's own. */
  readonly house: boolean;
  /** It asks for an amount of the quote, not for a volume. */
  readonly byAmount: boolean;
  readonly isOpen: boolean;
  /** Its place among all orders of the account, those in the archive included. */
  readonly position: number;
  /** Zero of a market order. */
  readonly price: Units;
  /** The price as a float. Not money: where the order stands among others. */
  readonly priceFloat: number;
  /** Zero of an order by amount. */
  remaining: Units;
  /** The level that it rests at; undefined where it does not rest. */
  readonly level: Level | undefined;
  /** Its fills, oldest first; not kept for house accounts. */
  readonly fills: readonly FillRecord[];
  /** As it is now. */
  readonly record: OrderRecord;
  addFill(fill: FillRecord): void;
  /** Adds what was executed; what remains is changed by itself. */
  execute(volume: Units, value: Units, fee: Units, at: Millis): void;
  end(state: OrderState, reason: string | null, at: Millis): void;
}

/** One of the numbers of 32 bits in the order's row. A view has the memory that its row is in, so that there is one. */
function wordAt({ words, start }: OrderView, place: number): number {
  return words[start + place] as number;
}

export class OrderView implements LiveOrder {
  readonly handle: Row;
  readonly #rows: OrderRows;
  readonly #page: Page;
  /** The row's page, and where the row begins in it, in words: for its getters, which are so short only by names that are not private, and are compiled into whoever asks. */
  readonly words: Int32Array;
  readonly start: number;
  /** Where it is known without being read. */
  #orderId: string | undefined;
  /** Made once, as an event and an answer often show the same; undefined again once the order is changed. */
  #record: OrderRecord | undefined;

  constructor(rows: OrderRows, row: Row, orderId?: string) {
    this.handle = row;
    this.#rows = rows;
    this.#page = rows.pageOf(row);
    this.words = this.#page.words;
    this.start = OrderRows.startOf(row);
    this.#orderId = orderId;
  }

  /** Writes all of a new order but its id and its place among all orders; it rests nowhere. */
  write(record: OrderRecord, account: NumberedAccount, position: number): void {
    const { price, volume, amount, userref } = record;
    const { keys, symbols, reasons } = this.#rows.shared;
    const words = this.words;
    const at = this.start;
    let flags = TIMES_IN_FORCE.indexOf(record.timeInForce) << TIME_IN_FORCE_AT;
    if (record.side === "sell") flags |= FLAG.sell;
    flags |= TYPES.indexOf(record.orderType) << TYPE_AT;
    if (record.postOnly) flags |= FLAG.postOnly;
    if (record.settlementMode === "STANDARD_KRW") flags |= FLAG.standardKrw;
    if (volume === null) flags |= FLAG.byAmount;
    if (account.house) flags |= FLAG.house;
    words[at + WORD.flags] = flags | (STATES.indexOf(record.state) << STATE_AT);
    words[at + WORD.account] = account.number;
    words[at + WORD.key] = keys.numberOf(record.keyId);
    words[at + WORD.names] = symbols.numberOf(record.symbol) | (reasons.numberOf(record.reason) << 16);
    words[at + WORD.position] = position;
    words[at + WORD.level] = NONE;
    words[at + WORD.before] = NONE;
    words[at + WORD.after] = NONE;
    words[at + WORD.older] = NONE;
    words[at + WORD.newer] = NONE;
    this.#page.setUserref(OrderRows.placeOf(this.handle), userref);
    this.#setAmount(SLOT.price, price ?? 0n);
    this.#setAmount(SLOT.wanted, volume ?? amount ?? 0n);
    this.#setAmount(SLOT.remaining, volume === null ? 0n : volume - record.executedVolume);
    this.#page.times[(this.start >> 1) + SLOT.createdAt] = record.createdAt;
    this.#page.times[(this.start >> 1) + SLOT.updatedAt] = record.updatedAt;
    const { executedVolume, executedValue, fee } = record;
    if (executedVolume !== 0n || executedValue !== 0n || fee !== 0n)
      this.#setExecuted(executedVolume, executedValue, fee);
    this.#record = record;
  }

  get orderId(): string {
    this.#orderId ??= this.#readId();
    return this.#orderId;
  }

  get account(): number {
    return wordAt(this, WORD.account);
  }

  get accountId(): string {
    return this.#rows.shared.accounts.at(this.account);
  }

  get symbol(): string {
    return this.#rows.shared.symbols.at(wordAt(this, WORD.names) & 0xffff);
  }

  get side(): Side {
    return (wordAt(this, WORD.flags) & FLAG.sell) !== 0 ? "sell" : "buy";
  }

  get orderType(): OrderType {
    return TYPES[(wordAt(this, WORD.flags) >> TYPE_AT) & THREE_BITS] ?? "limit";
  }

  get timeInForce(): TimeInForce {
    return TIMES_IN_FORCE[(wordAt(this, WORD.flags) >> TIME_IN_FORCE_AT) & TWO_BITS] ?? "GTC";
  }

  get settlementMode(): SettlementModeName {
    return (wordAt(this, WORD.flags) & FLAG.standardKrw) !== 0 ? "STANDARD_KRW" : "INSTANT_KRW";
  }

  get house(): boolean {
    return (wordAt(this, WORD.flags) & FLAG.house) !== 0;
  }

  get byAmount(): boolean {
    return (wordAt(this, WORD.flags) & FLAG.byAmount) !== 0;
  }

  get userref(): string | null {
    return this.#page.userrefAt(OrderRows.placeOf(this.handle));
  }

  get state(): OrderState {
    return STATES[(wordAt(this, WORD.flags) >> STATE_AT) & TWO_BITS] ?? "open";
  }

  get isOpen(): boolean {
    return wordAt(this, WORD.flags) >> STATE_AT === 0;
  }

  get position(): number {
    return wordAt(this, WORD.position);
  }

  get priceFloat(): number {
    const high = wordAt(this, 2 * SLOT.price + 1);
    if (high < 0) return Number(this.price); // not money: where the order stands among others
    return floatOf(wordAt(this, 2 * SLOT.price), high);
  }

  get price(): Units {
    return this.#amount(SLOT.price);
  }

  get remaining(): Units {
    return this.#amount(SLOT.remaining);
  }

  set remaining(volume: Units) {
    this.#setAmount(SLOT.remaining, volume);
  }

  get createdAt(): Millis {
    return this.#time(SLOT.createdAt);
  }

  get updatedAt(): Millis {
    return this.#time(SLOT.updatedAt);
  }

  get level(): Level | undefined {
    const level = wordAt(this, WORD.level);
    return level < 0 ? undefined : level;
  }

  get fills(): readonly FillRecord[] {
    return this.#page.fillsAt(OrderRows.placeOf(this.handle));
  }

  addFill(fill: FillRecord): void {
    this.#page.addFill(OrderRows.placeOf(this.handle), fill);
  }

  execute(volume: Units, value: Units, fee: Units, at: Millis): void {
    if ((wordAt(this, WORD.flags) & FLAG.executed) !== 0)
      this.#setExecuted(this.executedVolume + volume, this.executedValue + value, this.fee + fee);
    else this.#setExecuted(volume, value, fee);
    this.#touch(at);
  }

  end(state: OrderState, reason: string | null, at: Millis): void {
    const { reasons } = this.#rows.shared;
    this.words[this.start + WORD.flags] =
      (wordAt(this, WORD.flags) & ~(TWO_BITS << STATE_AT)) | (STATES.indexOf(state) << STATE_AT);
    this.words[this.start + WORD.names] = (wordAt(this, WORD.names) & 0xffff) | (reasons.numberOf(reason) << 16);
    this.#touch(at);
  }

  #touch(at: Millis): void {
    this.#page.times[(this.start >> 1) + SLOT.updatedAt] = at;
    this.#record = undefined;
  }

  #setExecuted(volume: Units, value: Units, fee: Units): void {
    this.#storeExecuted(EXECUTED_SLOT.volume, volume);
    this.#storeExecuted(EXECUTED_SLOT.value, value);
    this.#storeExecuted(EXECUTED_SLOT.fee, fee);
    this.words[this.start + WORD.flags] = wordAt(this, WORD.flags) | FLAG.executed;
  }

  #storeExecuted(slot: number, amount: Units): void {
    const stored = this.#rows.storedFor(this.handle, EXECUTED_NAMES + slot, amount);
    this.#page.executed[OrderRows.executedStart(this.handle) + slot] = stored;
  }

  get executedVolume(): Units {
    return this.#executed(EXECUTED_SLOT.volume);
  }

  get executedValue(): Units {
    return this.#executed(EXECUTED_SLOT.value);
  }

  get fee(): Units {
    return this.#executed(EXECUTED_SLOT.fee);
  }

  get record(): OrderRecord {
    this.#record ??= this.#readRecord();
    return this.#record;
  }

  #readRecord(): OrderRecord {
    const { keys, reasons } = this.#rows.shared;
    const { orderType, byAmount } = this;
    const wanted = this.#amount(SLOT.wanted);
    return {
      orderId: this.orderId,
      accountId: this.accountId,
      keyId: keys.at(wordAt(this, WORD.key)),
      symbol: this.symbol,
      side: this.side,
      orderType,
      price: ORDER_TRAITS[orderType].isPriced ? this.price : null,
      volume: byAmount ? null : wanted,
      amount: byAmount ? wanted : null,
      timeInForce: this.timeInForce,
      postOnly: (wordAt(this, WORD.flags) & FLAG.postOnly) !== 0,
      userref: this.userref,
      settlementMode: this.settlementMode,
      createdAt: this.createdAt,
      executedVolume: this.executedVolume,
      executedValue: this.executedValue,
      fee: this.fee,
      state: this.state,
      reason: reasons.at(wordAt(this, WORD.names) >> 16),
      updatedAt: this.updatedAt,
    };
  }

  #readId(): string {
    return (
      this.#rows.ids.get(this.handle) ??
      uuidText(wordAt(this, WORD.id), wordAt(this, WORD.id + 1), wordAt(this, WORD.id + 2), wordAt(this, WORD.id + 3))
    );
  }

  #time(slot: number): Millis {
    return this.#page.times[(this.start >> 1) + slot] as Millis;
  }

  #amount(slot: number): Units {
    return this.#rows.amountOf(this.handle, slot, this.#page.amounts[(this.start >> 1) + slot] as bigint);
  }

  #setAmount(slot: number, amount: Units): void {
    this.#page.amounts[(this.start >> 1) + slot] = this.#rows.storedFor(this.handle, slot, amount);
  }

  #executed(slot: number): Units {
    if ((wordAt(this, WORD.flags) & FLAG.executed) === 0) return 0n;
    const stored = this.#page.executed[OrderRows.executedStart(this.handle) + slot] as bigint;
    return this.#rows.amountOf(this.handle, EXECUTED_NAMES + slot, stored);
  }
}
