/**
 * What the people who run the exchange may do: accounts, money, keys, markets. Entry point: `administer`.
 * Every command is checked whole before the first change.
 */
import type { Applied, Command, Refusal } from "../model.ts";
import { badArgument as bad, refusal } from "./checks.ts";
import { releaseHeldBack } from "./settlement.ts";
import { accountOf, openAccount, type State } from "./state.ts";

type Administration = Extract<
  Command,
  { type: "createAccount" | "deposit" | "createKey" | "setMarketStatus" | "linkKrwAccount" }
>;

/** To be called once nothing can refuse the command any more. */
export type Begin = () => void;

export const DONE = { ok: true, kind: "done" } as const;

export function administer(state: State, command: Administration, begin: Begin): Applied | Refusal {
  const { accounts, keys, markets } = state;
  switch (command.type) {
    case "createAccount": {
      const { accountId, krwAccountLinked } = command;
      if (accounts.has(accountId)) return bad("accountId", `account ${accountId} exists`);
      begin();
      openAccount(state, accountId, krwAccountLinked);
      return DONE;
    }
    case "deposit": {
      const { accountId, asset, amount } = command;
      const listed = [...markets.values()].some(({ rule }) => rule.base === asset || rule.quote === asset);
      if (!accounts.has(accountId)) return bad("accountId", `no account ${accountId}`);
      if (!listed) return bad("asset", `no asset ${asset}`);
      if (amount <= 0n) return bad("amount", "amount must be above zero");
      begin();
      state.ledger.deposit(accountId, asset, amount);
      return DONE;
    }
    case "createKey": {
      const { key } = command;
      if (keys.has(key.keyId)) return bad("keyId", `key ${key.keyId} exists`);
      if (!accounts.has(key.accountId)) return bad("accountId", `no account ${key.accountId}`);
      begin();
      keys.set(key.keyId, key);
      return DONE;
    }
    case "setMarketStatus": {
      const market = markets.get(command.symbol);
      if (market === undefined) return refusal("EQuery:Unknown asset pair", `no market ${command.symbol}`, "symbol");
      if (market.status === command.status) return DONE;
      begin();
      market.status = command.status;
      state.witness?.market(market);
      return DONE;
    }
    case "linkKrwAccount":
      return linkKrwAccount(state, command, begin);
    default:
      return command satisfies never;
  }
}

function linkKrwAccount(
  state: State,
  { accountId, linked }: Extract<Command, { type: "linkKrwAccount" }>,
  begin: Begin,
): Applied | Refusal {
  if (!state.accounts.has(accountId)) return bad("accountId", `no account ${accountId}`);
  const account = accountOf(state, accountId);
  if (account.krwAccountLinked === linked) return DONE;
  begin();
  account.krwAccountLinked = linked;
  if (linked) releaseHeldBack(state, account);
  return DONE;
}
