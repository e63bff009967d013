/**
 * What each command does to the state. Entry point: `applyCommand`.
 * Every command is checked whole before the first change.
 */
import type { Applied, Command, Millis, PlaceCommand, Refusal } from "../model.ts";
import { judge, refusal } from "./checks.ts";
import { execute, withdrawOrder } from "./execution.ts";
import { runTick } from "./flow.ts";
import { openAccount, type State } from "./state.ts";

type CommandOf<T extends Command["type"]> = Extract<Command, { type: T }>;

const DONE = { ok: true, kind: "done" } as const;

/** The exchange's clock at a command: never earlier than at the one before. */
export function clockAt(state: State, at: Millis): Millis {
  return Math.max(state.now, at);
}

export function applyCommand(state: State, command: Command, at: Millis): Applied | Refusal {
  const now = clockAt(state, at);
  const effect = (change: () => Applied | undefined): Applied => {
    state.now = now;
    state.changes += 1;
    return change() ?? DONE;
  };
  switch (command.type) {
    case "place":
      return place(state, command, now, effect);
    case "cancel":
      return cancel(state, command, effect);
    case "cancelAll":
      return cancelAll(state, command, effect);
    case "nonce":
      return acceptNonce(state, command, effect);
    case "createAccount":
    case "deposit":
    case "createKey":
    case "setMarketStatus":
      return administer(state, command, effect);
    case "tick":
      return state.marketMaker ? effect(() => void runTick(state)) : DONE;
    default:
      return command satisfies never;
  }
}

/** Runs a change that nothing can refuse any more. */
type Effect = (change: () => Applied | undefined) => Applied;

function place(state: State, command: PlaceCommand, now: Millis, effect: Effect): Applied | Refusal {
  const judged = judge(state, command, now);
  if (!judged.ok) return judged;
  return effect(() => {
    const { order, fills } = execute(state, judged);
    return { ok: true, kind: "order", order: { ...order.record }, fills };
  });
}

function cancel(state: State, command: CommandOf<"cancel">, effect: Effect): Applied | Refusal {
  const { accountId, symbol, orderId } = command;
  const order = state.orders.get(orderId);
  if (order?.accountId !== accountId || order.record.symbol !== symbol)
    return refusal("EOrder:Unknown order", `no order ${orderId} in ${symbol}`);
  const { state: orderState } = order.record;
  if (orderState !== "open")
    return { ...refusal("EOrder:Order already closed", `order ${orderId} is ${orderState}`), state: orderState };
  return effect(() => {
    withdrawOrder(state, order);
    return { ok: true, kind: "order", order: { ...order.record }, fills: [] };
  });
}

function cancelAll(state: State, command: CommandOf<"cancelAll">, effect: Effect): Applied | Refusal {
  const { accountId, symbol } = command;
  if (symbol !== null && !state.markets.has(symbol))
    return refusal("EQuery:Unknown asset pair", `no market ${symbol}`, "symbol");
  const open = [...(state.accounts.get(accountId)?.open.values() ?? [])];
  const chosen = open.filter(({ record }) => symbol === null || record.symbol === symbol);
  if (chosen.length === 0) return { ok: true, kind: "canceled", orderIds: [] };
  return effect(() => {
    for (const order of chosen) withdrawOrder(state, order);
    return { ok: true, kind: "canceled", orderIds: chosen.map(({ orderId }) => orderId) };
  });
}

function acceptNonce(state: State, { keyId, nonce }: CommandOf<"nonce">, effect: Effect): Applied | Refusal {
  if (!state.keys.has(keyId)) return refusal("EAPI:Invalid key", "no such key");
  const last = state.nonces.get(keyId) ?? 0n;
  if (nonce <= last) return refusal("EAPI:Invalid nonce", `nonce ${nonce} is not larger than ${last}`);
  return effect(() => void state.nonces.set(keyId, nonce));
}

type Administration = CommandOf<"createAccount" | "deposit" | "createKey" | "setMarketStatus">;

function administer(state: State, command: Administration, effect: Effect): Applied | Refusal {
  const bad = (field: string, message: string): Refusal => refusal("EGeneral:Invalid arguments", message, field);
  const { accounts, keys, markets } = state;
  switch (command.type) {
    case "createAccount": {
      const { accountId, krwAccountLinked } = command;
      if (accounts.has(accountId)) return bad("accountId", `account ${accountId} exists`);
      return effect(() => void openAccount(state, accountId, krwAccountLinked));
    }
    case "deposit": {
      const { accountId, asset, amount } = command;
      const listed = [...markets.values()].some(({ rule }) => rule.base === asset || rule.quote === asset);
      if (!accounts.has(accountId)) return bad("accountId", `no account ${accountId}`);
      if (!listed) return bad("asset", `no asset ${asset}`);
      if (amount <= 0n) return bad("amount", "amount must be above zero");
      return effect(() => void state.ledger.deposit(accountId, asset, amount));
    }
    case "createKey": {
      const { key } = command;
      if (keys.has(key.keyId)) return bad("keyId", `key ${key.keyId} exists`);
      if (!accounts.has(key.accountId)) return bad("accountId", `no account ${key.accountId}`);
      return effect(() => void keys.set(key.keyId, key));
    }
    case "setMarketStatus": {
      const market = markets.get(command.symbol);
      if (market === undefined) return refusal("EQuery:Unknown asset pair", `no market ${command.symbol}`, "symbol");
      if (market.status === command.status) return DONE;
      return effect(() => {
        market.status = command.status;
        return undefined;
      });
    }
    default:
      return command satisfies never;
  }
}
