/**
 * The balances of all accounts: per asset an available and a locked amount, and how much is not settled yet. Entry point:
 * `Ledger`.
 *
 * Invariants: no balance is ever negative; per asset, the balances of all accounts add up to what was deposited and not
 * withdrawn, so only deposits bring value in and only withdrawals take it out. Unsettled amounts restrict withdrawals alone;
 * they may exceed the available amount, as unsettled proceeds can be traded.
 */
import type { BalanceRecord, Units } from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";

export interface Balance {
  available: Units;
  locked: Units;
  unsettled: Units;
  /** The event recorder's: it knows what the balance was before the command. */
  isRecorded: boolean;
}

/** The movements of one trade. The buyer pays `value + buyerFee` from its locked quote, the seller delivers from its locked base. */
export interface TradeLegs {
  readonly buyer: string;
  readonly seller: string;
  readonly feeAccount: string;
  readonly base: string;
  readonly quote: string;
  readonly volume: Units;
  readonly value: Units;
  readonly buyerFee: Units;
  readonly sellerFee: Units;
}

export type LedgerRow = readonly [accountId: string, asset: string, available: string, locked: string];

export class Ledger {
  readonly #accounts = new Map<string, Map<string, Balance>>();
  readonly #deposits = new Map<string, Units>();
  /** Called right before a balance changes, with the balance as it is then. */
  onChange: ((accountId: string, asset: string, balance: Balance) => void) | null = null;

  deposit(accountId: string, asset: string, amount: Units): void {
    invariant(amount > 0n, "a deposit is above zero");
    this.#changeAvailable(this.#balance(accountId, asset), amount, accountId, asset);
    this.#deposits.set(asset, this.deposited(asset) + amount);
  }

  /** Takes out an available and settled amount. @throws InvariantError when there is less. */
  withdraw(accountId: string, asset: string, amount: Units): void {
    const balance = this.#balance(accountId, asset);
    invariant(amount > 0n && amount <= withdrawableOf(balance), `${amount} ${asset} of ${accountId} may not leave`);
    this.#changeAvailable(balance, -amount, accountId, asset);
    this.#deposits.set(asset, this.deposited(asset) - amount);
  }

  /** Locks an available amount. @throws InvariantError when less is available. */
  hold(accountId: string, asset: string, amount: Units): void {
    if (amount === 0n) return;
    const balance = this.#balance(accountId, asset);
    this.#changeAvailable(balance, -amount, accountId, asset);
    this.#changeLocked(balance, amount, accountId, asset);
  }

  /** Unlocks an amount. @throws InvariantError when less is locked. */
  release(accountId: string, asset: string, amount: Units): void {
    if (amount === 0n) return;
    const balance = this.#balance(accountId, asset);
    this.#changeLocked(balance, -amount, accountId, asset);
    this.#changeAvailable(balance, amount, accountId, asset);
  }

  applyTrade(trade: TradeLegs): void {
    const { buyer, seller, feeAccount, base, quote, volume, value, buyerFee, sellerFee } = trade;
    invariant(volume > 0n && value >= 0n && buyerFee >= 0n && sellerFee >= 0n, "a trade's amounts are not negative");
    this.#changeLocked(this.#balance(buyer, quote), -(value + buyerFee), buyer, quote);
    this.#changeLocked(this.#balance(seller, base), -volume, seller, base);
    this.#changeAvailable(this.#balance(buyer, base), volume, buyer, base);
    this.#changeAvailable(this.#balance(seller, quote), value - sellerFee, seller, quote);
    this.#changeAvailable(this.#balance(feeAccount, quote), buyerFee + sellerFee, feeAccount, quote);
  }

  /** Moves an available amount to another account. @throws InvariantError when less is available. */
  transfer(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeAvailable(this.#balance(from, asset), -amount, from, asset);
    this.#changeAvailable(this.#balance(to, asset), amount, to, asset);
  }

  /** Moves a locked amount to another account, where it is available. @throws InvariantError when less is locked. */
  sendLocked(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeLocked(this.#balance(from, asset), -amount, from, asset);
    this.#changeAvailable(this.#balance(to, asset), amount, to, asset);
  }

  /** Marks proceeds as unsettled, so that they cannot be withdrawn yet. */
  holdUnsettled(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.#balance(accountId, asset), amount, accountId, asset);
  }

  /** Marks unsettled proceeds as settled. */
  settle(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.#balance(accountId, asset), -amount, accountId, asset);
  }

  available(accountId: string, asset: string): Units {
    return this.#accounts.get(accountId)?.get(asset)?.available ?? 0n;
  }

  withdrawable(accountId: string, asset: string): Units {
    const balance = this.#accounts.get(accountId)?.get(asset);
    return balance === undefined ? 0n : withdrawableOf(balance);
  }

  locked(accountId: string, asset: string): Units {
    return this.#accounts.get(accountId)?.get(asset)?.locked ?? 0n;
  }

  /** Assets ever held, KRW first, then by code. */
  balances(accountId: string): BalanceRecord[] {
    const held = [...(this.#accounts.get(accountId) ?? [])];
    return held.map(([asset, balance]) => balanceRecord(asset, balance)).sort(byAsset);
  }

  /** What was deposited of an asset and not withdrawn again. */
  deposited(asset: string): Units {
    return this.#deposits.get(asset) ?? 0n;
  }

  /** The sum of all balances of an asset. Equals `deposited` at all times. */
  total(asset: string): Units {
    let total = 0n;
    for (const balances of this.#accounts.values()) {
      const balance = balances.get(asset);
      if (balance !== undefined) total += balance.available + balance.locked;
    }
    return total;
  }

  rows(): { balances: LedgerRow[]; deposits: [string, string][] } {
    const balances = [...this.#accounts].flatMap(([accountId, held]) =>
      [...held].map(
        ([asset, { available, locked }]): LedgerRow => [accountId, asset, available.toString(), locked.toString()],
      ),
    );
    return { balances, deposits: [...this.#deposits].map(([asset, units]) => [asset, units.toString()]) };
  }

  /** @throws InvariantError when the rows do not add up to the deposits. */
  static fromRows(rows: { balances: readonly LedgerRow[]; deposits: readonly (readonly [string, string])[] }): Ledger {
    const ledger = new Ledger();
    for (const [accountId, asset, available, locked] of rows.balances) {
      const balance = ledger.#balance(accountId, asset);
      ledger.#changeAvailable(balance, BigInt(available), accountId, asset);
      ledger.#changeLocked(balance, BigInt(locked), accountId, asset);
    }
    for (const [asset, units] of rows.deposits) {
      ledger.#deposits.set(asset, BigInt(units));
      invariant(ledger.total(asset) === BigInt(units), `${asset} balances do not add up to the deposits`);
    }
    return ledger;
  }

  #balance(accountId: string, asset: string): Balance {
    let held = this.#accounts.get(accountId);
    if (held === undefined) {
      held = new Map();
      this.#accounts.set(accountId, held);
    }
    let balance = held.get(asset);
    if (balance === undefined) {
      balance = { available: 0n, locked: 0n, unsettled: 0n, isRecorded: false };
      held.set(asset, balance);
    }
    return balance;
  }

  #changeAvailable(balance: Balance, change: Units, accountId: string, asset: string): void {
    const available = balance.available + change;
    invariant(available >= 0n, `available ${asset} of ${accountId} would be ${available}`);
    this.onChange?.(accountId, asset, balance);
    balance.available = available;
  }

  #changeLocked(balance: Balance, change: Units, accountId: string, asset: string): void {
    const locked = balance.locked + change;
    invariant(locked >= 0n, `locked ${asset} of ${accountId} would be ${locked}`);
    this.onChange?.(accountId, asset, balance);
    balance.locked = locked;
  }

  #changeUnsettled(balance: Balance, change: Units, accountId: string, asset: string): void {
    const unsettled = balance.unsettled + change;
    invariant(unsettled >= 0n, `unsettled ${asset} of ${accountId} would be ${unsettled}`);
    this.onChange?.(accountId, asset, balance);
    balance.unsettled = unsettled;
  }
}

export function balanceRecord(asset: string, balance: Readonly<Balance>): BalanceRecord {
  const { available, locked, unsettled } = balance;
  return { asset, available, locked, withdrawable: withdrawableOf(balance), unsettled };
}

/** KRW first, then by code. */
export function byAsset(
  { asset: one }: { readonly asset: string },
  { asset: other }: { readonly asset: string },
): number {
  if (one === other) return 0;
  if (one === "KRW" || other === "KRW") return one === "KRW" ? -1 : 1;
  return one < other ? -1 : 1;
}

/** The settled part of the available amount. */
export function withdrawableOf({ available, unsettled }: Readonly<Balance>): Units {
  return available > unsettled ? available - unsettled : 0n;
}
