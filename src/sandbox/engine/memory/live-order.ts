/**
 * An order in memory, as a view of its row: made where it is needed, and kept by nobody beyond a command. Entry point: `LiveOrder`.
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
import { EXECUTED_SLOT, NONE, OrderRows, type Page, type Row, SLOT, WORD } from "./order-rows.ts";
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

export class LiveOrder {
  readonly row: Row;
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
    this.row = row;
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
    this.#page.setUserref(OrderRows.placeOf(this.row), userref);
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

  /** The number of its account. */
  get account(): number {
    return this.words[this.start + WORD.account] as number;
  }

  get accountId(): string {
    return this.#rows.shared.accounts.at(this.account);
  }

  get symbol(): string {
    return this.#rows.shared.symbols.at((this.words[this.start + WORD.names] as number) & 0xffff);
  }

  get side(): Side {
    return ((this.words[this.start + WORD.flags] as number) & FLAG.sell) !== 0 ? "sell" : "buy";
  }

  get orderType(): OrderType {
    return TYPES[((this.words[this.start + WORD.flags] as number) >> TYPE_AT) & THREE_BITS] ?? "limit";
  }

  get timeInForce(): TimeInForce {
    return TIMES_IN_FORCE[((this.words[this.start + WORD.flags] as number) >> TIME_IN_FORCE_AT) & TWO_BITS] ?? "GTC";
  }

  get settlementMode(): SettlementModeName {
    return ((this.words[this.start + WORD.flags] as number) & FLAG.standardKrw) !== 0 ? "STANDARD_KRW" : "INSTANT_KRW";
  }

  /** It is one of the exchange's own. */
  get house(): boolean {
    return ((this.words[this.start + WORD.flags] as number) & FLAG.house) !== 0;
  }

  /** It asks for an amount of the quote, not for a volume. */
  get byAmount(): boolean {
    return ((this.words[this.start + WORD.flags] as number) & FLAG.byAmount) !== 0;
  }

  get userref(): string | null {
    return this.#page.userrefAt(OrderRows.placeOf(this.row));
  }

  get state(): OrderState {
    return STATES[((this.words[this.start + WORD.flags] as number) >> STATE_AT) & TWO_BITS] ?? "open";
  }

  get isOpen(): boolean {
    return (this.words[this.start + WORD.flags] as number) >> STATE_AT === 0;
  }

  /** Its place among all orders of the account, those in the archive included. */
  get position(): number {
    return this.words[this.start + WORD.position] as number;
  }

  /** The price as a float. Not money: where the order stands among others. */
  get priceFloat(): number {
    const at = this.start + 2 * SLOT.price;
    const high = this.words[at + 1] as number;
    if (high < 0) return Number(this.price); // not money: where the order stands among others
    return floatOf(this.words[at] as number, high);
  }

  /** Zero of a market order. */
  get price(): Units {
    return this.#amount(SLOT.price);
  }

  /** Zero of an order by amount. */
  get remaining(): Units {
    return this.#amount(SLOT.remaining);
  }

  set remaining(volume: Units) {
    this.#setAmount(SLOT.remaining, volume);
  }

  get createdAt(): Millis {
    return this.#page.times[(this.start >> 1) + SLOT.createdAt] as Millis;
  }

  get updatedAt(): Millis {
    return this.#page.times[(this.start >> 1) + SLOT.updatedAt] as Millis;
  }

  /** The number of the level that it rests at; negative where it does not rest. Only the book changes it, and the two below. */
  get level(): number {
    return this.words[this.start + WORD.level] as number;
  }

  set level(level: number) {
    this.words[this.start + WORD.level] = level;
  }

  /** Its neighbours in the level's queue. */
  get before(): Row {
    return this.words[this.start + WORD.before] as number;
  }

  set before(row: Row) {
    this.words[this.start + WORD.before] = row;
  }

  get after(): Row {
    return this.words[this.start + WORD.after] as number;
  }

  set after(row: Row) {
    this.words[this.start + WORD.after] = row;
  }

  /** Its neighbours among the open orders of the account. */
  get older(): Row {
    return this.words[this.start + WORD.older] as number;
  }

  set older(row: Row) {
    this.words[this.start + WORD.older] = row;
  }

  get newer(): Row {
    return this.words[this.start + WORD.newer] as number;
  }

  set newer(row: Row) {
    this.words[this.start + WORD.newer] = row;
  }

  /** Its fills, oldest first; not kept for house accounts. */
  get fills(): readonly FillRecord[] {
    return this.#page.fillsAt(OrderRows.placeOf(this.row));
  }

  addFill(fill: FillRecord): void {
    this.#page.addFill(OrderRows.placeOf(this.row), fill);
  }

  /** Adds what was executed; what remains is changed by itself. */
  execute(volume: Units, value: Units, fee: Units, at: Millis): void {
    if (((this.words[this.start + WORD.flags] as number) & FLAG.executed) !== 0)
      this.#setExecuted(this.executedVolume + volume, this.executedValue + value, this.fee + fee);
    else this.#setExecuted(volume, value, fee);
    this.#touch(at);
  }

  end(state: OrderState, reason: string | null, at: Millis): void {
    const { reasons } = this.#rows.shared;
    this.words[this.start + WORD.flags] =
      ((this.words[this.start + WORD.flags] as number) & ~(TWO_BITS << STATE_AT)) | (STATES.indexOf(state) << STATE_AT);
    this.words[this.start + WORD.names] =
      ((this.words[this.start + WORD.names] as number) & 0xffff) | (reasons.numberOf(reason) << 16);
    this.#touch(at);
  }

  #touch(at: Millis): void {
    this.#page.times[(this.start >> 1) + SLOT.updatedAt] = at;
    this.#record = undefined;
  }

  #setExecuted(volume: Units, value: Units, fee: Units): void {
    const { executed } = this.#page;
    const at = OrderRows.executedStart(this.row);
    const rows = this.#rows;
    executed[at + EXECUTED_SLOT.volume] = rows.executedStoredFor(this.row, EXECUTED_SLOT.volume, volume);
    executed[at + EXECUTED_SLOT.value] = rows.executedStoredFor(this.row, EXECUTED_SLOT.value, value);
    executed[at + EXECUTED_SLOT.fee] = rows.executedStoredFor(this.row, EXECUTED_SLOT.fee, fee);
    this.words[this.start + WORD.flags] = (this.words[this.start + WORD.flags] as number) | FLAG.executed;
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

  /** As it is now. */
  get record(): OrderRecord {
    this.#record ??= this.#readRecord();
    return this.#record;
  }

  #readRecord(): OrderRecord {
    const { keys, reasons } = this.#rows.shared;
    const { orderType } = this;
    const byAmount = ((this.words[this.start + WORD.flags] as number) & FLAG.byAmount) !== 0;
    const wanted = this.#amount(SLOT.wanted);
    return {
      orderId: this.orderId,
      accountId: this.accountId,
      keyId: keys.at(this.words[this.start + WORD.key] as number),
      symbol: this.symbol,
      side: this.side,
      orderType,
      price: ORDER_TRAITS[orderType].isPriced ? this.price : null,
      volume: byAmount ? null : wanted,
      amount: byAmount ? wanted : null,
      timeInForce: this.timeInForce,
      postOnly: ((this.words[this.start + WORD.flags] as number) & FLAG.postOnly) !== 0,
      userref: this.userref,
      settlementMode: this.settlementMode,
      createdAt: this.createdAt,
      executedVolume: this.executedVolume,
      executedValue: this.executedValue,
      fee: this.fee,
      state: this.state,
      reason: reasons.at((this.words[this.start + WORD.names] as number) >> 16),
      updatedAt: this.updatedAt,
    };
  }

  #readId(): string {
    return (
      this.#rows.ids.get(this.row) ??
      uuidText(
        this.words[this.start + WORD.id] as number,
        this.words[this.start + WORD.id + 1] as number,
        this.words[this.start + WORD.id + 2] as number,
        this.words[this.start + WORD.id + 3] as number,
      )
    );
  }

  #amount(slot: number): Units {
    return this.#rows.amountOf(this.row, slot, this.#page.amounts[(this.start >> 1) + slot] as bigint);
  }

  #setAmount(slot: number, amount: Units): void {
    this.#page.amounts[(this.start >> 1) + slot] = this.#rows.storedFor(this.row, slot, amount);
  }

  #executed(slot: number): Units {
    if (((this.words[this.start + WORD.flags] as number) & FLAG.executed) === 0) return 0n;
    const stored = this.#page.executed[OrderRows.executedStart(this.row) + slot] as bigint;
    return this.#rows.executedAmountOf(this.row, slot, stored);
  }
}
