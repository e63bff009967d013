/**
 * An order in memory, as a view of its row: made where it is needed, and kept by nobody beyond a command. Entry point: `LiveOrder`.
 *
 * Invariants: while an order changes there is one view of it, through which it does; a record never changes, so that events, answers and snapshots show it as it was.
 */
import type { OrderState, OrderType, Side, TimeInForce } from "../../../contract/index.ts";
import type { FillRecord, Millis, OrderRecord, SettlementModeName, Units } from "../../model/index.ts";
import { OrderRows, type Page, type Row, SLOT, WORD } from "./order-rows.ts";
import { uuidText } from "./uuid-words.ts";

const STATES: readonly OrderState[] = ["open", "filled", "canceled", "expired"];
const TIMES_IN_FORCE: readonly TimeInForce[] = ["GTC", "IOC", "FOK"];

/** Bits of the word `flags`: a time in force takes two, and a state the two above all others. */
const FLAG = { sell: 1, market: 2, postOnly: 4, standardKrw: 8, byAmount: 16, house: 32 };
const TIME_IN_FORCE_AT = 8;
const STATE_AT = 10;
const TWO_BITS = 3;

const NO_FILLS: readonly FillRecord[] = [];

/** What an order keeps of its account. */
export interface NumberedAccount {
  readonly number: number;
  readonly house: boolean;
}

export class LiveOrder {
  readonly row: Row;
  readonly #rows: OrderRows;
  readonly #page: Page;
  /** Where the row begins, in words and in slots. */
  readonly #word: number;
  readonly #slot: number;
  /** Where it is known without being read. */
  #orderId: string | undefined;
  /** Made once, as an event and an answer often show the same; undefined again once the order is changed. */
  #record: OrderRecord | undefined;

  constructor(rows: OrderRows, row: Row, orderId?: string) {
    this.row = row;
    this.#rows = rows;
    this.#page = rows.pageOf(row);
    this.#word = OrderRows.startOf(row);
    this.#slot = this.#word >> 1;
    this.#orderId = orderId;
  }

  /** Writes all of a new order but its id and its links. */
  write(record: OrderRecord, account: NumberedAccount, position: number): void {
    const { price, volume, amount, userref } = record;
    const { keys, symbols, reasons } = this.#rows.shared;
    let flags = TIMES_IN_FORCE.indexOf(record.timeInForce) << TIME_IN_FORCE_AT;
    if (record.side === "sell") flags |= FLAG.sell;
    if (record.orderType === "market") flags |= FLAG.market;
    if (record.postOnly) flags |= FLAG.postOnly;
    if (record.settlementMode === "STANDARD_KRW") flags |= FLAG.standardKrw;
    if (volume === null) flags |= FLAG.byAmount;
    if (account.house) flags |= FLAG.house;
    this.#set(WORD.flags, flags | (STATES.indexOf(record.state) << STATE_AT));
    this.#set(WORD.account, account.number);
    this.#set(WORD.key, keys.numberOf(record.keyId));
    this.#set(WORD.names, symbols.numberOf(record.symbol) | (reasons.numberOf(record.reason) << 16));
    this.#set(WORD.position, position);
    this.#page.userrefs[OrderRows.placeOf(this.row)] = userref;
    this.#setAmount(SLOT.price, price ?? 0n);
    this.#setAmount(SLOT.wanted, volume ?? amount ?? 0n);
    this.#setAmount(SLOT.remaining, volume === null ? 0n : volume - record.executedVolume);
    this.#setAmount(SLOT.executedVolume, record.executedVolume);
    this.#setAmount(SLOT.executedValue, record.executedValue);
    this.#setAmount(SLOT.fee, record.fee);
    this.#setAmount(SLOT.hold, 0n);
    this.#setTime(SLOT.createdAt, record.createdAt);
    this.#setTime(SLOT.updatedAt, record.updatedAt);
    this.#record = record;
  }

  get orderId(): string {
    this.#orderId ??= this.#readId();
    return this.#orderId;
  }

  /** The number of its account. */
  get account(): number {
    return this.#get(WORD.account);
  }

  get accountId(): string {
    return this.#rows.shared.accounts.at(this.account);
  }

  get symbol(): string {
    return this.#rows.shared.symbols.at(this.#get(WORD.names) & 0xffff);
  }

  get side(): Side {
    return this.#has(FLAG.sell) ? "sell" : "buy";
  }

  get orderType(): OrderType {
    return this.#has(FLAG.market) ? "market" : "limit";
  }

  get timeInForce(): TimeInForce {
    return TIMES_IN_FORCE[(this.#get(WORD.flags) >> TIME_IN_FORCE_AT) & TWO_BITS] ?? "GTC";
  }

  get settlementMode(): SettlementModeName {
    return this.#has(FLAG.standardKrw) ? "STANDARD_KRW" : "INSTANT_KRW";
  }

  /** It is one of the exchange's own. */
  get house(): boolean {
    return this.#has(FLAG.house);
  }

  /** It asks for an amount of the quote, not for a volume. */
  get byAmount(): boolean {
    return this.#has(FLAG.byAmount);
  }

  get userref(): string | null {
    return this.#page.userrefs[OrderRows.placeOf(this.row)] ?? null;
  }

  get state(): OrderState {
    return STATES[(this.#get(WORD.flags) >> STATE_AT) & TWO_BITS] ?? "open";
  }

  /** Its place among all orders of the account, those in the archive included. */
  get position(): number {
    return this.#get(WORD.position);
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

  /** Locked for this order: quote of a buy, base of a sell. Zero once it has ended. */
  get hold(): Units {
    return this.#amount(SLOT.hold);
  }

  set hold(amount: Units) {
    this.#setAmount(SLOT.hold, amount);
  }

  get createdAt(): Millis {
    return this.#page.times[this.#slot + SLOT.createdAt] as Millis;
  }

  get updatedAt(): Millis {
    return this.#page.times[this.#slot + SLOT.updatedAt] as Millis;
  }

  /** The number of the level that it rests at; negative where it does not rest. Only the book changes it, and the two below. */
  get level(): number {
    return this.#get(WORD.level);
  }

  set level(level: number) {
    this.#set(WORD.level, level);
  }

  /** Its neighbours in the level's queue. */
  get before(): Row {
    return this.#get(WORD.before);
  }

  set before(row: Row) {
    this.#set(WORD.before, row);
  }

  get after(): Row {
    return this.#get(WORD.after);
  }

  set after(row: Row) {
    this.#set(WORD.after, row);
  }

  /** Its neighbours among the open orders of the account. */
  get older(): Row {
    return this.#get(WORD.older);
  }

  set older(row: Row) {
    this.#set(WORD.older, row);
  }

  get newer(): Row {
    return this.#get(WORD.newer);
  }

  set newer(row: Row) {
    this.#set(WORD.newer, row);
  }

  /** Its fills, oldest first; not kept for house accounts. */
  get fills(): readonly FillRecord[] {
    return this.#rows.fills.get(this.row) ?? NO_FILLS;
  }

  addFill(fill: FillRecord): void {
    const fills = this.#rows.fills.get(this.row);
    if (fills === undefined) this.#rows.fills.set(this.row, [fill]);
    else fills.push(fill);
  }

  /** Adds what was executed; what remains is changed by itself. */
  execute(volume: Units, value: Units, fee: Units, at: Millis): void {
    this.#setAmount(SLOT.executedVolume, this.#amount(SLOT.executedVolume) + volume);
    this.#setAmount(SLOT.executedValue, this.#amount(SLOT.executedValue) + value);
    this.#setAmount(SLOT.fee, this.#amount(SLOT.fee) + fee);
    this.#setTime(SLOT.updatedAt, at);
    this.#record = undefined;
  }

  end(state: OrderState, reason: string | null, at: Millis): void {
    const { reasons } = this.#rows.shared;
    this.#set(WORD.flags, (this.#get(WORD.flags) & ~(TWO_BITS << STATE_AT)) | (STATES.indexOf(state) << STATE_AT));
    this.#set(WORD.names, (this.#get(WORD.names) & 0xffff) | (reasons.numberOf(reason) << 16));
    this.#setTime(SLOT.updatedAt, at);
    this.#record = undefined;
  }

  /** As it is now. */
  get record(): OrderRecord {
    this.#record ??= this.#readRecord();
    return this.#record;
  }

  #readRecord(): OrderRecord {
    const { keys, reasons } = this.#rows.shared;
    const market = this.#has(FLAG.market);
    const byAmount = this.#has(FLAG.byAmount);
    const wanted = this.#amount(SLOT.wanted);
    return {
      orderId: this.orderId,
      accountId: this.accountId,
      keyId: keys.at(this.#get(WORD.key)),
      symbol: this.symbol,
      side: this.side,
      orderType: this.orderType,
      price: market ? null : this.price,
      volume: byAmount ? null : wanted,
      amount: byAmount ? wanted : null,
      timeInForce: this.timeInForce,
      postOnly: this.#has(FLAG.postOnly),
      userref: this.userref,
      settlementMode: this.settlementMode,
      createdAt: this.createdAt,
      executedVolume: this.#amount(SLOT.executedVolume),
      executedValue: this.#amount(SLOT.executedValue),
      fee: this.#amount(SLOT.fee),
      state: this.state,
      reason: reasons.at(this.#get(WORD.names) >> 16),
      updatedAt: this.updatedAt,
    };
  }

  #readId(): string {
    return (
      this.#rows.ids.get(this.row) ??
      uuidText(this.#get(WORD.id), this.#get(WORD.id + 1), this.#get(WORD.id + 2), this.#get(WORD.id + 3))
    );
  }

  #has(flag: number): boolean {
    return (this.#get(WORD.flags) & flag) !== 0;
  }

  #get(word: number): number {
    return this.#page.words[this.#word + word] as number;
  }

  #set(word: number, value: number): void {
    this.#page.words[this.#word + word] = value;
  }

  #setTime(slot: number, time: Millis): void {
    this.#page.times[this.#slot + slot] = time;
  }

  #amount(slot: number): Units {
    const amount = this.#page.amounts[this.#slot + slot] as bigint;
    return amount < 0n ? this.#rows.largeAmount(this.row, slot) : amount;
  }

  #setAmount(slot: number, amount: Units): void {
    this.#page.amounts[this.#slot + slot] = this.#rows.slotFor(this.row, slot, amount);
  }
}
