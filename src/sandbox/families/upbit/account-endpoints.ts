/** Balances, what may be ordered in a market, the account's keys, the state of wallets. Entry points: one function for each. */
import type { BalanceRecord, Units } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { kstText, utcDateTime } from "../../venue-kit/kst.ts";
import { type ListedMarket, QUOTE } from "../../venue-kit/won-markets.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { codeOf, FEE_RATE, MAX_TOTAL } from "./market-rules.ts";
import { answer, badValue, refuse, type UpbitOutcome } from "./outcome.ts";
import { marketOf, type PrivateCall } from "./upbit-call.ts";

const KEY_LIFE_MS = 365 * 86_400_000;

/** What is not empty; the quote always. */
export function listAccounts(call: PrivateCall): UpbitOutcome {
  const held = call.service.exchange.balances(call.key.accountId);
  const shown = held.filter(({ asset, available, locked }) => asset === QUOTE || available + locked > 0n);
  return answer(shown.map((balance) => balanceView(call, balance)));
}

function balanceView(
  call: PrivateCall,
  { asset, available, locked }: Pick<BalanceRecord, "asset" | "available" | "locked">,
): JsonObject {
  const average = asset === QUOTE ? 0n : call.averages.of(call.key.accountId, `${asset}/${QUOTE}`);
  return {
    currency: asset,
    balance: pointed(available),
    locked: pointed(locked),
    avg_buy_price: decimalText(average),
    avg_buy_price_modified: asset === QUOTE,
    unit_currency: QUOTE,
  };
}

/** Balances have a decimal point always. */
function pointed(units: Units): string {
  const text = decimalText(units);
  return text.includes(".") ? text : `${text}.0`;
}

const [BID_TYPES, ASK_TYPES] = ["price", "market"].map((atMarket) => [
  "best_fok",
  "best_ioc",
  "limit",
  "limit_fok",
  "limit_ioc",
  "limit_post_only",
  atMarket,
]);

export function getChance(call: PrivateCall): UpbitOutcome {
  const code = call.parameters.text("market");
  if (code === undefined) return badValue("market");
  const market = marketOf(call.service, code);
  if (market === undefined) return refuse("notfoundmarket");
  const { base, quote } = market;
  const held = call.service.exchange.balances(call.key.accountId);
  const accountOf = (asset: string): JsonObject =>
    balanceView(call, held.find((each) => each.asset === asset) ?? { asset, available: 0n, locked: 0n });
  const fee = decimalText(FEE_RATE);
  return answer({
    ...{ bid_fee: fee, ask_fee: fee, maker_bid_fee: fee, maker_ask_fee: fee },
    market: marketView(market),
    bid_account: accountOf(quote),
    ask_account: accountOf(base),
  });
}

function marketView({ symbol, base, quote, minNotional, status }: ListedMarket): JsonObject {
  const minTotal = decimalText(minNotional);
  return {
    id: codeOf(symbol),
    name: symbol,
    order_types: ["limit", "price", "market", "best"],
    order_sides: ["ask", "bid"],
    bid_types: BID_TYPES ?? [],
    ask_types: ASK_TYPES ?? [],
    bid: { currency: quote, min_total: minTotal },
    ask: { currency: base, min_total: minTotal },
    max_total: decimalText(MAX_TOTAL),
    state: status === "trading" ? "active" : "offline",
  };
}

/** Keys of the sandbox do not end; the family says that they do a year after it was started. */
export function listKeys({ key, startedAt }: PrivateCall): UpbitOutcome {
  return answer([{ access_key: key.keyId, expire_at: kstText(startedAt + KEY_LIFE_MS) }]);
}

export function listWallets({ service, at }: PrivateCall): UpbitOutcome {
  return answer(
    service.exchange.markets().map(({ base }) => ({
      currency: base,
      wallet_state: "working",
      block_state: "normal",
      block_updated_at: `${utcDateTime(at)}+00:00`,
      net_type: base,
      network_name: base,
    })),
  );
}
