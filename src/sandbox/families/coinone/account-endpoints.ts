/** Balances and rates of fees. Entry points: one function for each. */
import { z } from "zod";
import type { BalanceRecord } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { QUOTE } from "../../venue-kit/won-markets.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import type { PrivateCall } from "./coinone-call.ts";
import { readFields } from "./fields.ts";
import { marketOf, pairOf } from "./market-rules.ts";
import { answer, type CoinoneOutcome, refuse } from "./outcome.ts";

const nothing = z.strictObject({});
const some = z.strictObject({ currencies: z.array(z.string()).min(1) });

type Held = Pick<BalanceRecord, "asset" | "available" | "locked">;

/** What is not empty; the won always. */
export function listBalances(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, nothing);
  if (!sent.ok) return sent;
  const held = call.service.exchange.balances(call.key.accountId);
  const shown = held.filter(({ asset, available, locked }) => asset === QUOTE || available + locked > 0n);
  return answer({ balances: shown.map((balance) => balanceView(call, balance)) });
}

export function listSomeBalances(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, some);
  if (!sent.ok) return sent;
  const { exchange } = call.service;
  const held = exchange.balances(call.key.accountId);
  const wanted = sent.read.currencies.map((currency) => currency.toUpperCase());
  const known = wanted.every((asset) => asset === QUOTE || marketOf(call.service, QUOTE, asset) !== undefined);
  if (!known) return refuse(108);
  const balances = wanted.map((asset) =>
    balanceView(call, held.find((each) => each.asset === asset) ?? { asset, available: 0n, locked: 0n }),
  );
  return answer({ balances });
}

function balanceView({ averages, key }: PrivateCall, { asset, available, locked }: Held): JsonObject {
  const average = asset === QUOTE ? 0n : averages.of(key.accountId, `${asset}/${QUOTE}`);
  return {
    available: decimalText(available),
    limit: decimalText(locked),
    average_price: decimalText(average),
    currency: asset,
  };
}

/** Of all markets, or of the one that the path names. */
export function listFeeRates(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, nothing);
  if (!sent.ok) return sent;
  const { service, path } = call;
  const [quote = "", target = ""] = path;
  const one = marketOf(service, quote, target);
  if (path.length > 0 && one === undefined) return refuse(108);
  const markets = one === undefined ? service.exchange.markets() : [one];
  return answer({
    fee_rates: markets.map(({ symbol, makerFeeRate, takerFeeRate }) => ({
      ...pairOf(symbol),
      maker: decimalText(makerFeeRate),
      taker: decimalText(takerFeeRate),
    })),
  });
}
