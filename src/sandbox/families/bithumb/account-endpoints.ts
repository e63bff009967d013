/** Balances, what may be ordered in a market, the account's keys. Entry points: one function for each. */
import type { BalanceRecord, Units } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { kstText } from "../../venue-kit/kst.ts";
import { type ListedMarket, QUOTE, unitAt } from "../../venue-kit/won-markets.ts";
import { marketOf, type PrivateCall } from "./bithumb-call.ts";
import type { Figures } from "./figures.ts";
import { codeOf, FEE_RATE, MAX_TOTAL } from "./market-rules.ts";
import { answer, type BithumbOutcome, badValue, refuse } from "./outcome.ts";

const KEY_LIFE_MS = 365 * 86_400_000;

type Held = Pick<BalanceRecord, "asset" | "available" | "locked">;

/** What is not empty; the quote always. */
export function listAccounts(call: PrivateCall): BithumbOutcome {
  const held = call.service.exchange.balances(call.key.accountId);
  const shown = held.filter(({ asset, available, locked }) => asset === QUOTE || available + locked > 0n);
  return answer(shown.map((balance) => balanceView(call, balance)));
}

function balanceView(call: PrivateCall, { asset, available, locked }: Held): JsonObject {
  const { text } = call.figures;
  const average: Units = asset === QUOTE ? 0n : call.averages.of(call.key.accountId, `${asset}/${QUOTE}`);
  return {
    currency: asset,
    balance: text(available),
    locked: text(locked),
    avg_buy_price: text(average),
    avg_buy_price_modified: false,
    unit_currency: QUOTE,
  };
}

const [BID_TYPES, ASK_TYPES] = ["price", "market"].map((atMarket) => [
  ...["limit", "limit_ioc", "limit_fok", "limit_post_only", "best_ioc", "best_fok"],
  atMarket,
]);

export function getChance(call: PrivateCall): BithumbOutcome {
  const code = call.parameters.text("market");
  if (code === undefined) return badValue("market");
  const market = marketOf(call.service, code);
  if (market === undefined) return refuse("currency does not have a valid value");
  const held = call.service.exchange.balances(call.key.accountId);
  const accountOf = (asset: string): JsonObject =>
    balanceView(call, held.find((each) => each.asset === asset) ?? { asset, available: 0n, locked: 0n });
  const fee = call.figures.text(FEE_RATE);
  return answer({
    ...{ bid_fee: fee, ask_fee: fee, maker_bid_fee: fee, maker_ask_fee: fee },
    market: marketView(market, call.figures),
    bid_account: accountOf(market.quote),
    ask_account: accountOf(market.base),
  });
}

function marketView(
  { symbol, base, quote, minNotional, status, tickBands, last, anchorPrice }: ListedMarket,
  { text }: Figures,
): JsonObject {
  const sizes = { price_unit: text(unitAt(tickBands, last ?? anchorPrice)), min_total: text(minNotional) };
  return {
    id: codeOf(symbol),
    name: symbol,
    order_types: ["limit", "price", "market", "best"],
    order_sides: ["ask", "bid"],
    bid_types: BID_TYPES ?? [],
    ask_types: ASK_TYPES ?? [],
    bid: { currency: quote, ...sizes },
    ask: { currency: base, ...sizes },
    max_total: text(MAX_TOTAL),
    state: status === "trading" ? "active" : "offline",
  };
}

/** Keys of the sandbox do not end; the family says that they do a year after it was started. */
export function listKeys({ key, startedAt }: PrivateCall): BithumbOutcome {
  return answer([{ access_key: key.keyId, expire_at: kstText(startedAt + KEY_LIFE_MS) }]);
}
