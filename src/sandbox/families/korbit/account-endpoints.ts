/** Balances, fees, the key that is used. Entry points: one function for each. */
import type { Permission } from "../../../contract/index.ts";
import type { BalanceRecord, Millis, Units } from "../../model/index.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import { QUOTE } from "../../venue-kit/won-markets.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { namedMarkets, type PrivateCall } from "./korbit-call.ts";
import { codeOf } from "./market-rules.ts";
import { answer, type Json, type KorbitOutcome } from "./outcome.ts";

const KEY_LIFE_MS: Millis = 365 * 86_400_000;

/** What is held; what an account never had is in no answer, though it is asked for. */
export function listBalances({ service, key, parameters, averages }: PrivateCall): KorbitOutcome {
  const asked = parameters.list("currencies");
  const held = service.exchange
    .balances(key.accountId)
    .filter(({ asset, available, locked }) =>
      asked.length === 0 ? asset === QUOTE || available + locked > 0n : asked.includes(codeOf(asset)),
    );
  return answer(held.map((balance) => balanceView(balance, averages, key.accountId)));
}

export function balanceView(
  { asset, available, locked }: Pick<BalanceRecord, "asset" | "available" | "locked">,
  averages: AveragePrices,
  accountId: string,
): { readonly [name: string]: Json } {
  const average = asset === QUOTE ? 0n : averages.of(accountId, `${asset}/${QUOTE}`);
  return {
    currency: codeOf(asset),
    balance: decimalText(available + locked),
    available: decimalText(available),
    tradeInUse: decimalText(locked),
    withdrawalInUse: "0",
    avgPrice: decimalText(average),
  };
}

/** The highest fee is what a buy reserves. */
export function listFees(call: PrivateCall): KorbitOutcome {
  const markets = namedMarkets(call);
  if ("ok" in markets) return markets;
  const highest = (one: Units, other: Units): Units => (one > other ? one : other);
  return answer(
    markets.map(({ symbol, quote, makerFeeRate, takerFeeRate }) => ({
      symbol: codeOf(symbol),
      buyFeeCurrency: codeOf(quote),
      sellFeeCurrency: codeOf(quote),
      maxFeeRate: decimalText(highest(makerFeeRate, takerFeeRate)),
      takerFeeRate: decimalText(takerFeeRate),
      makerFeeRate: decimalText(makerFeeRate),
    })),
  );
}

const RIGHTS: Partial<Record<Permission, readonly string[]>> = {
  query: ["readBalances", "readOrders"],
  trade: ["writeOrders"],
};

/** Keys of the sandbox do not end; the family says that they do a year after it was started. */
export function getKey({ key, keyType, keyPairs, startedAt }: PrivateCall): KorbitOutcome {
  return answer({
    apiKey: key.keyId,
    type: keyType,
    publicKey: keyType === "ed25519" ? keyPairs.publicKeyText(key) : undefined,
    permissions: key.permissions.flatMap((permission) => RIGHTS[permission] ?? []),
    whitelist: key.ipAllowList.join(","),
    expiration: startedAt + KEY_LIFE_MS,
    status: "activated",
    label: "sandbox",
    createdAt: startedAt,
  });
}
