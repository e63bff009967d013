/**
 * The commands of the exchange's operators: accounts, deposits and withdrawals, market status, webhooks. Entry point:
 * `administer`. Source: service.md#administration.
 *
 * Invariant: a command is checked in full before its first change.
 */
import { WEBHOOK_TYPES } from "../../../contract/index.ts";
import { type Applied, ONE, type Refusal, type Units } from "../../model/index.ts";
import { type Begin, badArgument as bad, type CommandOf, DONE, refusal } from "../core/command.ts";
import { unitsText } from "../market/pricing.ts";
import { releaseFailedSettlements } from "../orders/settlement.ts";
import { accountOf, customer, openAccount, type State } from "../state/exchange-state.ts";

type Administration = CommandOf<
  | "createAccount"
  | "linkKrwAccount"
  | "deposit"
  | "withdraw"
  | "setMarketStatus"
  | "registerWebhook"
  | "unregisterWebhook"
>;

/** Per account. */
const WEBHOOKS_MAX = 20;
/** Of an asset, over all accounts: an amount on the wire has 18 digits before the decimal point. */
const TOTAL_MAX = 10n ** 18n * ONE - 1n;
export function administer(state: State, command: Administration, begin: Begin): Applied | Refusal {
  switch (command.type) {
    case "createAccount": {
      const { accountId, krwAccountLinked } = command;
      if (state.accounts.has(accountId)) return bad("accountId", `account ${accountId} exists`);
      begin();
      openAccount(state, accountId, krwAccountLinked);
      return DONE;
    }
    case "linkKrwAccount":
      return linkKrwAccount(state, command, begin);
    case "deposit": {
      const refused = checkMoney(state, command) ?? checkTotal(state, command);
      if (refused !== undefined) return refused;
      begin();
      state.ledger.deposit(command.accountId, command.asset, command.amount);
      return DONE;
    }
    case "withdraw":
      return withdraw(state, command, begin);
    case "setMarketStatus":
      return setMarketStatus(state, command, begin);
    case "registerWebhook":
      return registerWebhook(state, command, begin);
    case "unregisterWebhook":
      if (!state.webhooks.has(command.webhookId)) return bad("webhookId", `no webhook ${command.webhookId}`);
      begin();
      state.webhooks.delete(command.webhookId);
      return DONE;
    default:
      return command satisfies never;
  }
}

function linkKrwAccount(state: State, { accountId, linked }: CommandOf<"linkKrwAccount">, begin: Begin) {
  const account = customer(state, accountId);
  if (account === undefined) return noAccount(accountId);
  if (account.krwAccountLinked === linked) return DONE;
  begin();
  account.krwAccountLinked = linked;
  if (linked) releaseFailedSettlements(state, account);
  return DONE;
}

interface Money {
  readonly accountId: string;
  readonly asset: string;
  readonly amount: Units;
}

function checkMoney(state: State, { accountId, asset, amount }: Money): Refusal | undefined {
  const listed = [...state.markets.values()].some(({ rule }) => rule.base === asset || rule.quote === asset);
  if (customer(state, accountId) === undefined) return noAccount(accountId);
  if (!listed) return bad("asset", `no asset ${asset}`);
  return amount <= 0n ? bad("amount", "amount must be above zero") : undefined;
}

/** With the total bounded, no balance can grow by trades to more digits than fit the wire. */
function checkTotal({ ledger }: State, { asset, amount }: Money): Refusal | undefined {
  const room = TOTAL_MAX - ledger.deposited(asset);
  if (amount <= room) return undefined;
  return bad("amount", `the exchange can take ${unitsText(room > 0n ? room : 0n)} ${asset} more`);
}

function withdraw(state: State, command: CommandOf<"withdraw">, begin: Begin): Applied | Refusal {
  const { accountId, asset, amount } = command;
  const refused = checkMoney(state, command);
  if (refused !== undefined) return refused;
  if (asset === "KRW" && !accountOf(state, accountId).krwAccountLinked)
    return refusal("ECompliance:KRW account not linked", "KRW leaves to a linked KRW account only");
  const withdrawable = state.ledger.withdrawable(accountId, asset);
  if (amount > withdrawable) {
    const message = `needs ${unitsText(amount)} ${asset}, withdrawable ${unitsText(withdrawable)} ${asset}`;
    return refusal("EOrder:Insufficient funds", message, "amount");
  }
  begin();
  state.ledger.withdraw(accountId, asset, amount);
  return DONE;
}

function setMarketStatus({ markets, recorder }: State, { symbol, status }: CommandOf<"setMarketStatus">, begin: Begin) {
  const market = markets.get(symbol);
  if (market === undefined) return refusal("EQuery:Unknown asset pair", `no market ${symbol}`, "symbol");
  if (market.status === status) return DONE;
  begin();
  market.status = status;
  recorder?.market(market);
  return DONE;
}

function registerWebhook(state: State, { webhook }: CommandOf<"registerWebhook">, begin: Begin): Applied | Refusal {
  const { webhookId, accountId, url, types } = webhook;
  if (state.webhooks.has(webhookId)) return bad("webhookId", `webhook ${webhookId} exists`);
  if (customer(state, accountId) === undefined) return noAccount(accountId);
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isWeb) return bad("url", "the url must be an absolute http or https one");
  if (types.length === 0) return bad("types", "name at least one type of event");
  const unknown = types.find((type) => !WEBHOOK_TYPES.includes(type));
  if (unknown !== undefined) return bad("types", `no type ${unknown}`);
  const others = [...state.webhooks.values()].filter((other) => other.accountId === accountId);
  if (others.length >= WEBHOOKS_MAX) return bad("accountId", `${accountId} has ${WEBHOOKS_MAX} webhooks, the most`);
  begin();
  state.webhooks.set(webhookId, { ...webhook, createdAt: state.now });
  return DONE;
}

function noAccount(accountId: string): Refusal {
  return bad("accountId", `no account ${accountId}`);
}
