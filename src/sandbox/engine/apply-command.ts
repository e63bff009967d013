/**
 * Dispatches a command to the part that carries it out. Entry point: `applyCommand`.
 *
 * Invariant: a command is checked in full before its first change, so a refused one changes nothing.
 */
import type { Applied, Command, FillRecord, Millis, PlaceCommand, Refusal } from "../model/index.ts";
import { administer } from "./accounts/administration.ts";
import { administerKeys } from "./accounts/api-keys.ts";
import { type Begin, type CommandOf, DONE, refusal } from "./core/command.ts";
import { runTick } from "./market-flow/market-flow.ts";
import { EARLIER, PACED } from "./market-flow/tempo.ts";
import { armCancelTimer } from "./orders/cancel-timer.ts";
import { cancelRestingOrder, executeOrder } from "./orders/execution.ts";
import { checkOrder } from "./orders/order-checks.ts";
import { advanceClock, isDue, runDue } from "./scheduled-work.ts";
import type { State } from "./state/exchange-state.ts";
import { applyTransfer } from "./transfers/transfer-commands.ts";

const NO_FILLS: readonly FillRecord[] = Object.freeze([]);

/** The exchange's clock at a command; never earlier than at the command before it. */
export function clockAt(state: State, at: Millis): Millis {
  return Math.max(state.now, at);
}

function beginAt(state: State, now: Millis): void {
  state.now = now;
  state.changes += 1;
}

export function applyCommand(state: State, command: Command, at: Millis): Applied | Refusal {
  const now = clockAt(state, at);
  if (command.type === "place") return place(state, command, now);
  if (command.type === "cancel") return cancel(state, command, now);
  return applyRare(state, command, now, () => beginAt(state, now));
}

/** Apart from orders and their cancels, which need no function of their own to begin. */
function applyRare(
  state: State,
  command: Exclude<Command, { readonly type: "place" | "cancel" }>,
  now: Millis,
  begin: Begin,
): Applied | Refusal {
  switch (command.type) {
    case "cancelAll":
      return cancelAll(state, command, begin);
    case "nonce":
      return acceptNonce(state, command, begin);
    case "createAccount":
    case "linkKrwAccount":
    case "deposit":
    case "withdraw":
    case "setMarketStatus":
    case "registerWebhook":
    case "unregisterWebhook":
      return administer(state, command, begin);
    case "advanceClock":
      return advanceClock(state, command.byMs, begin);
    case "createKey":
    case "setKey":
    case "revokeKey":
      return administerKeys(state, command, begin);
    case "quotePayment":
    case "confirmPayment":
    case "cancelPayment":
    case "refundPayment":
    case "quoteRemittance":
    case "createRemittance":
    case "cancelRemittance":
      return applyTransfer(state, command, now, begin);
    case "armCancelTimer":
      return armCancelTimer(state, command, now, begin);
    case "passTime":
      if (!isDue(state, now)) return DONE;
      begin();
      runDue(state);
      return DONE;
    case "tick":
      if (!state.marketMaker) return DONE;
      begin();
      runTick(state, command.paced === true ? PACED : EARLIER);
      return DONE;
    default:
      return command satisfies never;
  }
}

function place(state: State, command: PlaceCommand, now: Millis): Applied | Refusal {
  const checked = checkOrder(state, command, now);
  if (!checked.ok) return checked;
  beginAt(state, now);
  const { order, fills } = executeOrder(state, checked);
  return { ok: true, kind: "order", order: order.record, fills };
}

function cancel(state: State, command: CommandOf<"cancel">, now: Millis): Applied | Refusal {
  const { accountId, symbol, orderId } = command;
  const order = state.orders.get(orderId);
  const known = order ?? state.archive?.order(orderId)?.record;
  if (known?.accountId !== accountId || known.symbol !== symbol)
    return refusal("EOrder:Unknown order", `no order ${orderId} in ${symbol}`);
  if (order === undefined || known.state !== "open")
    return { ...refusal("EOrder:Order already closed", `order ${orderId} is ${known.state}`), state: known.state };
  beginAt(state, now);
  cancelRestingOrder(state, order);
  return { ok: true, kind: "order", order: order.record, fills: NO_FILLS };
}

function cancelAll(state: State, command: CommandOf<"cancelAll">, begin: Begin): Applied | Refusal {
  const { accountId, symbol } = command;
  if (symbol !== null && !state.markets.has(symbol))
    return refusal("EQuery:Unknown asset pair", `no market ${symbol}`, "symbol");
  const account = state.accounts.get(accountId);
  const open = account === undefined ? [] : account.open.list();
  const chosen = open.filter((order) => symbol === null || order.symbol === symbol);
  if (chosen.length === 0) return { ok: true, kind: "canceled", orderIds: [] };
  begin();
  for (const order of chosen) cancelRestingOrder(state, order);
  return { ok: true, kind: "canceled", orderIds: chosen.map(({ orderId }) => orderId) };
}

function acceptNonce(state: State, { keyId, nonce }: CommandOf<"nonce">, begin: Begin): Applied | Refusal {
  if (!state.keys.has(keyId)) return refusal("EAPI:Invalid key", "no such key");
  const last = state.nonces.get(keyId) ?? 0n;
  if (nonce <= last) return refusal("EAPI:Invalid nonce", `nonce ${nonce} is not larger than ${last}`);
  begin();
  state.nonces.set(keyId, nonce);
  return DONE;
}
