/**
 * Reads what the account holds and everything it has executed, of one moment. Entry point: `readBooks`.
 *
 * Invariant: a fill between the two readings would look like a deposit, so balances are read before and after the fills until they stay the same.
 * Source: decision 0028.
 */
import { type Accounts, type Balance, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { LedgerFill } from "../ports/fill-ledger.ts";
import { syncLedger } from "./ledger-sync.ts";

export interface AccountBooks {
  readonly balances: readonly Balance[];
  /** In the order of their times. */
  readonly fills: readonly LedgerFill[];
  /** Whether nothing moved while they were read. */
  readonly settled: boolean;
}

/** An account that trades all the time is reported as it is then. */
const READINGS_MAX = 4;

/** @param fromMs of the fills that are wanted, Unix milliseconds; all by default */
export async function readBooks(context: DeskContext, fromMs = 0): Promise<Result<AccountBooks>> {
  const { venue, fills: ledger } = context.parts;
  let before = await venue.accounts();
  for (let reading = 1; ; reading += 1) {
    if (!before.ok) return before;
    const account = await context.setAccount(before.value.account_id);
    if (!account.ok) return account;
    const synced = await syncLedger(context.parts, account.value);
    if (!synced.ok) return synced;
    const after = await venue.accounts();
    if (!after.ok) return after;
    const settled = totalsText(before.value) === totalsText(after.value);
    if (settled || reading === READINGS_MAX) {
      const fills = await ledger.fills(account.value, fromMs);
      return fills.ok ? ok({ balances: after.value.balances, fills: fills.value, settled }) : fills;
    }
    before = after;
  }
}

/** An order that is placed or canceled moves between available and locked, and nothing else. */
function totalsText({ balances }: Accounts): string {
  return balances
    .map(({ asset, total }) => `${asset} ${total}`)
    .sort()
    .join();
}
