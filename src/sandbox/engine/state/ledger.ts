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

export interface Balance {
  readonly holder: Holder;
  readonly asset: string;
  available: Units;
  locked: Units;
  unsettled: Units;
  /** The event recorder's: what the balance was before the command that changes it; null while none does. */
  recorded: Amounts | null;
  /** The event recorder's: the next of its holder's changed balances. */
  nextRecorded: Balance | null;
}

export type Amounts = Readonly<Pick<Balance, "available" | "locked" | "unsettled">>;

/** An account as the ledger sees it. */
export interface Holder {
  readonly accountId: string;
  readonly balances: Map<string, Balance>;
  /** The event recorder's: the first of the balances that a command has changed so far, and the next holder of such. */
  recorded: Balance | null;
  nextRecorded: Holder | null;
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
  readonly #accounts = new Map<string, Holder>();
  readonly #deposits = new Map<string, Units>();
  /** The balance that was asked for last: an order is checked against the one that it then holds. */
  #last: Balance | undefined;
  /** Called right before a balance changes, with the balance as it is then. */
  onChange: ((balance: Balance) => void) | null = null;

  deposit(accountId: string, asset: string, amount: Units): void {
    invariant(amount > 0n, "a deposit is above zero");
    this.#changeAvailable(this.#balance(accountId, asset), amount);
    this.#deposits.set(asset, this.deposited(asset) + amount);
  }

  /** Takes out an available and settled amount. @throws InvariantError when there is less. */
  withdraw(accountId: string, asset: string, amount: Units): void {
    const balance = this.#balance(accountId, asset);
    invariant(amount > 0n && amount <= withdrawableOf(balance), `${amount} ${asset} of ${accountId} may not leave`);
    this.#changeAvailable(balance, -amount);
    this.#deposits.set(asset, this.deposited(asset) - amount);
  }

  /** Locks an available amount. @throws InvariantError when less is available. */
  hold(accountId: string, asset: string, amount: Units): void {
    if (amount === 0n) return;
    const balance = this.#balance(accountId, asset);
    this.#changeAvailable(balance, -amount);
    this.#changeLocked(balance, amount);
  }

  /** Unlocks an amount. @throws InvariantError when less is locked. */
  release(accountId: string, asset: string, amount: Units): void {
    if (amount === 0n) return;
    const balance = this.#balance(accountId, asset);
    this.#changeLocked(balance, -amount);
    this.#changeAvailable(balance, amount);
  }

  applyTrade(trade: TradeLegs): void {
    const { buyer, seller, feeAccount, base, quote, volume, value, buyerFee, sellerFee } = trade;
    invariant(volume > 0n && value >= 0n && buyerFee >= 0n && sellerFee >= 0n, "a trade's amounts are not negative");
    this.#changeLocked(this.#balance(buyer, quote), -(value + buyerFee));
    this.#changeLocked(this.#balance(seller, base), -volume);
    this.#changeAvailable(this.#balance(buyer, base), volume);
    this.#changeAvailable(this.#balance(seller, quote), value - sellerFee);
    this.#changeAvailable(this.#balance(feeAccount, quote), buyerFee + sellerFee);
  }

  /** Moves an available amount to another account. @throws InvariantError when less is available. */
  transfer(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeAvailable(this.#balance(from, asset), -amount);
    this.#changeAvailable(this.#balance(to, asset), amount);
  }

  /** Moves a locked amount to another account, where it is available. @throws InvariantError when less is locked. */
  sendLocked(from: string, to: string, asset: string, amount: Units): void {
    invariant(amount >= 0n, "a transfer's amount is not negative");
    this.#changeLocked(this.#balance(from, asset), -amount);
    this.#changeAvailable(this.#balance(to, asset), amount);
  }

  /** Marks proceeds as unsettled, so that they cannot be withdrawn yet. */
  holdUnsettled(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.#balance(accountId, asset), amount);
  }

  /** Marks unsettled proceeds as settled. */
  settle(accountId: string, asset: string, amount: Units): void {
    this.#changeUnsettled(this.#balance(accountId, asset), -amount);
  }

  available(accountId: string, asset: string): Units {
    return this.#find(accountId, asset)?.available ?? 0n;
  }

  withdrawable(accountId: string, asset: string): Units {
    const balance = this.#find(accountId, asset);
    return balance === undefined ? 0n : withdrawableOf(balance);
  }

  locked(accountId: string, asset: string): Units {
    return this.#find(accountId, asset)?.locked ?? 0n;
  }

  /** Assets ever held, KRW first, then by code. */
  balances(accountId: string): BalanceRecord[] {
    return [...(this.#accounts.get(accountId)?.balances.values() ?? [])].map(balanceRecord).sort(byAsset);
  }

  /** What was deposited of an asset and not withdrawn again. */
  deposited(asset: string): Units {
    return this.#deposits.get(asset) ?? 0n;
  }

  /** The sum of all balances of an asset. Equals `deposited` at all times. */
  total(asset: string): Units {
    let total = 0n;
    for (const { balances } of this.#accounts.values()) {
      const balance = balances.get(asset);
      if (balance !== undefined) total += balance.available + balance.locked;
    }
    return total;
  }

  rows(): { balances: LedgerRow[]; deposits: [string, string][] } {
    const balances = [...this.#accounts.values()].flatMap((holder) =>
      Array.from(
        holder.balances.values(),
        ({ asset, available, locked }): LedgerRow => [holder.accountId, asset, `${available}`, `${locked}`],
      ),
    );
    return { balances, deposits: [...this.#deposits].map(([asset, units]) => [asset, units.toString()]) };
  }

  /** @throws InvariantError when the rows do not add up to the deposits. */
  static fromRows(rows: { balances: readonly LedgerRow[]; deposits: readonly (readonly [string, string])[] }): Ledger {
    const ledger = new Ledger();
    for (const [accountId, asset, available, locked] of rows.balances) {
      const balance = ledger.#balance(accountId, asset);
      ledger.#changeAvailable(balance, BigInt(available));
      ledger.#changeLocked(balance, BigInt(locked));
    }
    for (const [asset, units] of rows.deposits) {
      ledger.#deposits.set(asset, BigInt(units));
      invariant(ledger.total(asset) === BigInt(units), `${asset} balances do not add up to the deposits`);
    }
    return ledger;
  }

  #find(accountId: string, asset: string): Balance | undefined {
    const last = this.#last;
    if (last?.asset === asset && last.holder.accountId === accountId) return last;
    const balance = this.#accounts.get(accountId)?.balances.get(asset);
    if (balance !== undefined) this.#last = balance;
    return balance;
  }

  #balance(accountId: string, asset: string): Balance {
    return this.#find(accountId, asset) ?? this.#open(accountId, asset);
  }

  #open(accountId: string, asset: string): Balance {
    let holder = this.#accounts.get(accountId);
    if (holder === undefined) {
      holder = { accountId, balances: new Map(), recorded: null, nextRecorded: null };
      this.#accounts.set(accountId, holder);
    }
    const none = { recorded: null, nextRecorded: null };
    const balance = { holder, asset, available: 0n, locked: 0n, unsettled: 0n, ...none };
    holder.balances.set(asset, balance);
    return balance;
  }

  #changeAvailable(balance: Balance, change: Units): void {
    const available = balance.available + change;
    if (available < 0n) throw negative("available", balance, available);
    this.onChange?.(balance);
    balance.available = available;
  }

  #changeLocked(balance: Balance, change: Units): void {
    const locked = balance.locked + change;
    if (locked < 0n) throw negative("locked", balance, locked);
    this.onChange?.(balance);
    balance.locked = locked;
  }

  #changeUnsettled(balance: Balance, change: Units): void {
    const unsettled = balance.unsettled + change;
    if (unsettled < 0n) throw negative("unsettled", balance, unsettled);
    this.onChange?.(balance);
    balance.unsettled = unsettled;
  }
}

/** Made where it is needed alone, as the text of an amount costs more than its change. */
function negative(what: keyof Amounts, { asset, holder }: Balance, amount: Units): InvariantError {
  return new InvariantError(`${what} ${asset} of ${holder.accountId} would be ${amount}`);
}

export function balanceRecord(balance: Readonly<Balance>): BalanceRecord {
  const { asset, available, locked, unsettled } = balance;
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
export function withdrawableOf({ available, unsettled }: Amounts): Units {
  return available > unsettled ? available - unsettled : 0n;
}
