/**
 * The balances of all accounts: per asset an available and a locked amount, and how much is not settled yet. Entry point:
 * `Ledger`.
 *
 * Invariants: no balance is ever negative; per asset, the balances of all accounts add up to what was deposited and not
 * withdrawn, so only deposits bring value in and only withdrawals take it out. Unsettled amounts restrict withdrawals alone;
 * they may exceed the available amount, as unsettled proceeds can be traded.
 */
import type { BalanceRecord, Units } from "../../model/index.ts";
import { InvariantError, invariant } from "../core/invariant.ts";
import { AVAILABLE, Balances, LOCKED, type Names } from "../memory/index.ts";

/** A balance without its available and locked amounts, which the ledger has. */
export interface Balance {
  readonly holder: Holder;
  readonly asset: string;
  /** The number of its amounts. */
  readonly number: number;
  unsettled: Units;
  /** The event recorder's: the unsettled amount before the command that changes the balance; null while none does. */
  recorded: Units | null;
  /** The event recorder's: the next of its holder's changed balances. */
  nextRecorded: Balance | null;
}

/** The number of an asset. */
export type Asset = number;

/** An account as the ledger sees it. */
export interface Holder {
  readonly accountId: string;
  /** It is one of the exchange's own. */
  house: boolean;
  /** By the numbers of their assets. */
  readonly balances: (Balance | undefined)[];
  /** The same in the order in which they were opened. */
  readonly opened: Balance[];
  /** The event recorder's: the first of the balances that a command has changed so far, and the next holder of such. */
  recorded: Balance | null;
  nextRecorded: Holder | null;
}

/** The movements of one trade. The buyer pays `value + buyerFee` from its locked quote, the seller delivers from its locked base. */
export interface TradeLegs {
  readonly buyer: Holder;
  readonly seller: Holder;
  readonly feeHolder: Holder;
  readonly base: Asset;
  readonly quote: Asset;
  readonly volume: Units;
  readonly value: Units;
  readonly buyerFee: Units;
  readonly sellerFee: Units;
}

export type LedgerRow = readonly [accountId: string, asset: string, available: string, locked: string];

export class Ledger {
  readonly #assets: Names;
  readonly #holders = new Map<string, Holder>();
  /** Those that have a balance, in the order of their first. */
  readonly #opened: Holder[] = [];
  readonly #amounts = new Balances();
  readonly #deposits = new Map<string, Units>();
  /** Called right before a balance changes, with the balance as it is then. */
  onChange: ((balance: Balance) => void) | null = null;

  /** @param assets all assets by number */
  constructor(assets: Names) {
    this.#assets = assets;
  }

  /** The account as the ledger sees it, with balances or without. */
  holder(accountId: string): Holder {
    let holder = this.#holders.get(accountId);
    if (holder === undefined) {
      holder = { accountId, house: false, balances: [], opened: [], recorded: null, nextRecorded: null };
      this.#holders.set(accountId, holder);
    }
    return holder;
  }

  deposit(accountId: string, asset: string, amount: Units): void {
    invariant(amount > 0n, "a deposit is above zero");
    this.#changeAvailable(this.balance(accountId, asset), amount);
    this.#deposits.set(asset, this.deposited(asset) + amount);
  }

  /** Takes out an available and settled amount. @throws InvariantError when there is less. */
  withdraw(accountId: string, asset: string, amount: Units): void {
    const balance = this.balance(accountId, asset);
    const enough = amount > 0n && amount <= this.#withdrawableOf(balance);
    invariant(enough, `${amount} ${asset} of ${accountId} may not leave`);
    this.#changeAvailable(balance, -amount);
    this.#deposits.set(asset, this.deposited(asset) - amount);
  }

  /** Locks an available amount. @throws InvariantError when less is available. */
  hold(balance: Balance, amount: Units): void {
    if (amount === 0n) return;
    this.#changeAvailable(balance, -amount);
    this.#changeLocked(balance, amount);
  }

  /** Unlocks an amount. @throws InvariantError when less is locked. */
  release(balance: Balance, amount: Units): void {
    if (amount === 0n) return;
    this.#changeLocked(balance, -amount);
    this.#changeAvailable(balance, amount);
  }

  applyTrade(trade: TradeLegs): void {
    const { buyer, seller, feeHolder, base, quote, volume, value, buyerFee, sellerFee } = trade;
    if (volume <= 0n || value < 0n || buyerFee < 0n || sellerFee < 0n)
      throw new InvariantError("a trade's amounts are not negative");
    this.#changeLocked(this.balanceOf(buyer, quote), -(value + buyerFee));
    this.#changeLocked(this.balanceOf(seller, base), -volume);
    this.#changeAvailable(this.balanceOf(buyer, base), volume);
    this.#changeAvailable(this.balanceOf(seller, quote), value - sellerFee);
    this.#changeAvailable(this.balanceOf(feeHolder, quote), buyerFee + sellerFee);
  }

  /** Moves an available amount to another account. @throws InvariantError when less is available. */
  transfer(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeAvailable(this.balance(from, asset), -amount);
    this.#changeAvailable(this.balance(to, asset), amount);
  }

  /** Moves a locked amount to another account, where it is available. @throws InvariantError when less is locked. */
  sendLocked(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeLocked(this.balance(from, asset), -amount);
    this.#changeAvailable(this.balance(to, asset), amount);
  }

  /** Marks proceeds as unsettled, so that they cannot be withdrawn yet. */
  holdUnsettled(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.balance(accountId, asset), amount);
  }

  /** Marks unsettled proceeds as settled. */
  settle(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.balance(accountId, asset), -amount);
  }

  /** undefined where the holder never had any. */
  find(holder: Holder, asset: Asset): Balance | undefined {
    return holder.balances[asset];
  }

  balanceOf(holder: Holder, asset: Asset): Balance {
    return holder.balances[asset] ?? this.#open(holder, asset);
  }

  balance(accountId: string, asset: string): Balance {
    return this.balanceOf(this.holder(accountId), this.#assets.numberOf(asset));
  }

  availableOf({ number }: Balance): Units {
    return this.#amounts.read(number, AVAILABLE);
  }

  lockedOf({ number }: Balance): Units {
    return this.#amounts.read(number, LOCKED);
  }

  available(accountId: string, asset: string): Units {
    const balance = this.#known(accountId, asset);
    return balance === undefined ? 0n : this.availableOf(balance);
  }

  withdrawable(accountId: string, asset: string): Units {
    const balance = this.#known(accountId, asset);
    return balance === undefined ? 0n : this.#withdrawableOf(balance);
  }

  locked(accountId: string, asset: string): Units {
    const balance = this.#known(accountId, asset);
    return balance === undefined ? 0n : this.lockedOf(balance);
  }

  /** Assets ever held, the won first, then by code. */
  balances(accountId: string): BalanceRecord[] {
    const opened = this.#holders.get(accountId)?.opened ?? [];
    return opened.map((balance) => this.#record(balance)).sort(byAsset);
  }

  /** Keeps what the balance is, for `hasChanged`. */
  remember(balance: Balance): void {
    balance.recorded = balance.unsettled;
    this.#amounts.remember(balance.number);
  }

  /** Whether the balance differs from what was remembered. */
  hasChanged({ number, unsettled, recorded }: Balance): boolean {
    return unsettled !== recorded || !this.#amounts.isAsBefore(number);
  }

  /** What was deposited of an asset and not withdrawn again. */
  deposited(asset: string): Units {
    return this.#deposits.get(asset) ?? 0n;
  }

  /** The sum of all balances of an asset. Equals `deposited` at all times. */
  total(asset: string): Units {
    let total = 0n;
    const number = this.#assets.numberOf(asset);
    for (const { balances } of this.#opened) {
      const balance = balances[number];
      if (balance !== undefined) total += this.availableOf(balance) + this.lockedOf(balance);
    }
    return total;
  }

  rows(): { balances: LedgerRow[]; deposits: [string, string][] } {
    const balances = this.#opened.flatMap(({ accountId, opened }) =>
      opened.map((each): LedgerRow => [accountId, each.asset, `${this.availableOf(each)}`, `${this.lockedOf(each)}`]),
    );
    return { balances, deposits: [...this.#deposits].map(([asset, units]) => [asset, units.toString()]) };
  }

  /** @throws InvariantError when the rows do not add up to the deposits. */
  static fromRows(
    rows: { balances: readonly LedgerRow[]; deposits: readonly (readonly [string, string])[] },
    assets: Names,
  ): Ledger {
    const ledger = new Ledger(assets);
    for (const [accountId, asset, available, locked] of rows.balances) {
      const balance = ledger.balance(accountId, asset);
      ledger.#changeAvailable(balance, BigInt(available));
      ledger.#changeLocked(balance, BigInt(locked));
    }
    for (const [asset, units] of rows.deposits) {
      ledger.#deposits.set(asset, BigInt(units));
      invariant(ledger.total(asset) === BigInt(units), `${asset} balances do not add up to the deposits`);
    }
    return ledger;
  }

  #known(accountId: string, asset: string): Balance | undefined {
    return this.#holders.get(accountId)?.balances[this.#assets.numberOf(asset)];
  }

  #open(holder: Holder, asset: Asset): Balance {
    if (holder.opened.length === 0) this.#opened.push(holder);
    const name = this.#assets.at(asset);
    const none = { recorded: null, nextRecorded: null };
    const balance = { holder, asset: name, number: this.#amounts.add(), unsettled: 0n, ...none };
    // Without holes, so that a look-up stays one.
    while (holder.balances.length <= asset) holder.balances.push(undefined);
    holder.balances[asset] = balance;
    holder.opened.push(balance);
    return balance;
  }

  #changeAvailable(balance: Balance, change: Units): void {
    this.onChange?.(balance);
    if (!this.#amounts.change(balance.number, AVAILABLE, change))
      throw negative("available", balance, this.availableOf(balance) + change);
  }

  #changeLocked(balance: Balance, change: Units): void {
    this.onChange?.(balance);
    if (!this.#amounts.change(balance.number, LOCKED, change))
      throw negative("locked", balance, this.lockedOf(balance) + change);
  }

  #changeUnsettled(balance: Balance, change: Units): void {
    const unsettled = balance.unsettled + change;
    if (unsettled < 0n) throw negative("unsettled", balance, unsettled);
    this.onChange?.(balance);
    balance.unsettled = unsettled;
  }

  #record(balance: Balance): BalanceRecord {
    const { asset, unsettled } = balance;
    const [available, locked] = [this.availableOf(balance), this.lockedOf(balance)];
    return { asset, available, locked, withdrawable: settledPart(available, unsettled), unsettled };
  }

  #withdrawableOf(balance: Balance): Units {
    return settledPart(this.availableOf(balance), balance.unsettled);
  }
}

/** Made where it is needed alone, as the text of an amount costs more than its change. */
function negative(
  what: "available" | "locked" | "unsettled",
  { asset, holder }: Balance,
  amount: Units,
): InvariantError {
  return new InvariantError(`${what} ${asset} of ${holder.accountId} would be ${amount}`);
}

/** The won first, then by code. */
export function byAsset(
  { asset: one }: { readonly asset: string },
  { asset: other }: { readonly asset: string },
): number {
  if (one === other) return 0;
  if (one === "KRW" || other === "KRW") return one === "KRW" ? -1 : 1;
  return one < other ? -1 : 1;
}

/** The part of the available amount that is settled. */
export function settledPart(available: Units, unsettled: Units): Units {
  return available > unsettled ? available - unsettled : 0n;
}
