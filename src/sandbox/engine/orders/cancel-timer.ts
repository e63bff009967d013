/**
 * The dead man's switch: cancels all orders of an account unless the timer is armed again in time. Entry points:
 * `armCancelTimer`, `fireCancelTimer`.
 *
 * Invariant: an account has one timer at most, for all its keys; it fires once. Source: service.md#cancel-all-orders-after.
 */
import type { Applied, Millis, Refusal } from "../../model/index.ts";
import { type Begin, badArgument, type CommandOf, DONE } from "../core/command.ts";
import type { Account } from "../state/account-state.ts";
import { accountOf, type State } from "../state/exchange-state.ts";
import { cancelRestingOrder } from "./execution.ts";

const LONGEST_MS = 24 * 3_600_000;
/** The `OrderRecord.reason` of the orders it cancels. */
const REASON = "cancel_timer";

/** @param now the exchange's clock at the command. */
export function armCancelTimer(
  state: State,
  { accountId, timeoutMs }: CommandOf<"armCancelTimer">,
  now: Millis,
  begin: Begin,
): Applied | Refusal {
  const account = state.accounts.get(accountId);
  if (account === undefined || account.house) return badArgument("accountId", `no account ${accountId}`);
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0 || timeoutMs > LONGEST_MS)
    return badArgument("timeoutMs", `timeoutMs is from 0 to ${LONGEST_MS} milliseconds`);
  const cancelAt = timeoutMs === 0 ? null : now + timeoutMs;
  if (account.cancelAt !== cancelAt) {
    begin();
    setCancelTimer(state, account, cancelAt);
  }
  return DONE;
}

export function setCancelTimer({ schedule }: State, account: Account, cancelAt: Millis | null): void {
  const item = { kind: "cancelTimer", id: account.accountId } as const;
  account.cancelAt = cancelAt;
  if (cancelAt === null) schedule.clear(item);
  else schedule.set(item, cancelAt);
}

export function fireCancelTimer(state: State, accountId: string): void {
  const account = accountOf(state, accountId);
  setCancelTimer(state, account, null);
  for (const order of account.open.list()) cancelRestingOrder(state, order, REASON);
}
