/**
 * Reads what the account holds, and into the ledger what it has executed, of one moment. Entry point: `readBooks`.
 *
 * Invariant: a fill between the two readings would look like a deposit, so balances are read before and after the fills until they stay the same.
 * Source: decision 0028.
 */
import { type Accounts, type Balance, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { HistoryReading } from "../model/history-reading.ts";

export interface AccountBooks {
  /** Whose ledger has its fills. */
  readonly account: string;
  readonly balances: readonly Balance[];
  /** When they were asked for first, by the venue's clock: what is executed later is not in them. Unix milliseconds. */
  readonly askedAtMs: number;
  /** Tells that nothing moved while they were read. */
  readonly settled: boolean;
  /** Tells how far the ledger is where it is not read to its end. */
  readonly history: HistoryReading | undefined;
}

/** Reads into the ledger what it needs to have. @returns how far that is, where it has not ended */
export type ReadFills = (account: string) => Promise<Result<HistoryReading | undefined>>;

/** An account that trades all the time is reported as it is then. */
const READINGS_MAX = 4;

export async function readBooks(context: DeskContext, readFills: ReadFills): Promise<Result<AccountBooks>> {
  const { venue, clock } = context.parts;
  const venueNowMs = (): number => clock.now() + (venue.clockOffsetMs() ?? 0);
  let askedAtMs = venueNowMs();
  let before = await venue.accounts();
  for (let reading = 1; ; reading += 1) {
    if (!before.ok) return before;
    const account = await context.setAccount(before.value.account_id);
    if (!account.ok) return account;
    const read = await readFills(account.value);
    if (!read.ok) return read;
    const history = read.value;
    const againAtMs = venueNowMs();
    const after = await venue.accounts();
    if (!after.ok) return after;
    const settled = totalsText(before.value) === totalsText(after.value);
    if (settled || history !== undefined || reading === READINGS_MAX)
      return ok({ account: account.value, balances: after.value.balances, askedAtMs, settled, history });
    [askedAtMs, before] = [againAtMs, after];
  }
}

/** An order that is placed or canceled moves between available and locked, and nothing else. */
function totalsText({ balances }: Accounts): string {
  return balances
    .map(({ asset, total }) => `${asset} ${total}`)
    .sort()
    .join();
}
