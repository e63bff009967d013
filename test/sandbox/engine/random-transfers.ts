/** Random steps of payments and remittances, as fast-check arbitraries; each step continues one of the last few, by its number. */
import fc from "fast-check";
import { ACCOUNT_REJECTED, ACCOUNT_RETURNED, type Command } from "../../../src/sandbox/model/index.ts";
import { coins, krw } from "./exchange-kit.ts";
import type { NaiveTransfers } from "./naive-transfers.ts";

/** @returns undefined while there is nothing to continue */
export type TransferMove = (known: NaiveTransfers) => Command | undefined;

const COUNTRY = { USD: "US", VND: "VN" } as const;

let ids = 0;
function nextId(word: string): string {
  ids += 1;
  return `${word}-${String(ids).padStart(8, "0")}`;
}

const FEW = 6;

function nth<T>(list: readonly T[], index: number): T | undefined {
  const last = list.slice(-FEW);
  return last[index % Math.max(last.length, 1)];
}

const index = fc.nat({ max: FEW - 1 });

export const transferring = (accounts: readonly string[]): fc.Arbitrary<TransferMove> => {
  const accountId = fc.constantFrom(...accounts);
  const quotePayment = fc
    .record({ accountId, amount: fc.integer({ min: 1, max: 2_000_000_000 }), payAsset: fc.constantFrom("BTC", "ETH") })
    .map(
      ({ amount, ...rest }): TransferMove =>
        () => ({
          ...{
            type: "quotePayment",
            paymentId: nextId("payment"),
            orderRef: "o",
            description: null,
            expiresInMs: null,
          },
          ...{ ...rest, amount: BigInt(amount) * 1_000n, idempotency: null },
        }),
    );
  const paymentStep = fc
    .record({
      index,
      type: fc.constantFrom("confirmPayment" as const, "confirmPayment" as const, "cancelPayment" as const),
      refund: fc.option(fc.nat({ max: 2_000_000_000 })),
      isRefund: fc.boolean(),
    })
    .map(
      ({ index: at, type, refund, isRefund }): TransferMove =>
        ({ payments }) => {
          const payment = nth(payments, at)?.terms;
          if (payment === undefined) return undefined;
          const named = { accountId: payment.accountId, paymentId: payment.paymentId, idempotency: null };
          const amount = refund === null ? null : BigInt(refund) * 1_000n;
          return isRefund ? { type: "refundPayment", ...named, amount } : { type, ...named };
        },
    );
  const quoteRemittance = fc
    .record({
      accountId,
      sourceAsset: fc.constantFrom("KRW", "BTC", "ETH"),
      targetCurrency: fc.constantFrom("USD" as const, "VND" as const),
      size: fc.integer({ min: 1, max: 3_000 }),
      byTarget: fc.boolean(),
    })
    .map(
      ({ size, byTarget, ...rest }): TransferMove =>
        () => ({
          ...{ type: "quoteRemittance", quoteId: nextId("quote"), ...rest, idempotency: null },
          destinationCountry: COUNTRY[rest.targetCurrency],
          amount: byTarget ? null : rest.sourceAsset === "KRW" ? krw(size * 100) : coins(size * 10),
          targetAmount: byTarget ? krw(size) : null,
        }),
    );
  const createRemittance = fc
    .record({ index, account: fc.constantFrom(ACCOUNT_REJECTED, ACCOUNT_RETURNED, "12", "34") })
    .map(
      ({ index: at, account }): TransferMove =>
        ({ quotes }) => {
          const quote = nth(quotes, at);
          if (quote === undefined) return undefined;
          return {
            ...{ type: "createRemittance", remittanceId: nextId("remittance"), idempotency: null },
            ...{ accountId: quote.accountId, quoteId: quote.quoteId },
            beneficiary: { name: "Kim", account, bankCode: "004", country: quote.destinationCountry },
            ...{ originatorVaspId: "vasp", beneficiaryVaspId: null, purposeCode: "FAMILY" },
          };
        },
    );
  const cancelRemittance = index.map(
    (at): TransferMove =>
      ({ remittances }) => {
        const remittance = nth(remittances, at)?.terms;
        if (remittance === undefined) return undefined;
        const { accountId: owner, remittanceId } = remittance;
        return { type: "cancelRemittance", accountId: owner, remittanceId, idempotency: null };
      },
  );
  return fc.oneof(quotePayment, paymentStep, paymentStep, quoteRemittance, createRemittance, cancelRemittance);
};
