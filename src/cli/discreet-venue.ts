/**
 * The client as the desk may know it: what the desk writes down of a key is not the key, and an exchange that quotes our own
 * secrets at us is not quoted any further.
 */
import { createHash } from "node:crypto";
import type { Lane } from "../client/index.ts";
import { scrubber } from "../config/index.ts";
import { type Accounts, failed, ok, type Result } from "../contract/index.ts";
import type { TransferVenue, Venue } from "../desk/index.ts";

const NAME_LETTERS = 32;

/** What a key is called in the store: always the same for one key, and no way back to it. */
export function keyName(apiKey: string): string {
  return createHash("sha256").update(`hoga key ${apiKey}`).digest("hex").slice(0, NAME_LETTERS);
}

export function discreetLane(lane: Lane): Lane {
  return {
    enter: (apiKey, request) => lane.enter(keyName(apiKey), request),
    pause: (apiKey, forMs) => lane.pause(keyName(apiKey), forMs),
  };
}

/** @param keyId its key's name; undefined without a key. */
export function discreetVenue(client: Venue, keyId: string | undefined): Venue {
  const { environment, nonceFence, writeTimeoutMs, needsCompliance = false } = client;
  const setTimer = client.setCancelTimer?.bind(client);
  return {
    environment,
    keyId,
    nonceFence,
    writeTimeoutMs,
    needsCompliance,
    clockOffsetMs: () => client.clockOffsetMs(),
    time: () => discreet(client.time()),
    markets: () => discreet(client.markets()),
    tickers: (...given) => discreet(client.tickers(...given)),
    orderbook: (...given) => discreet(client.orderbook(...given)),
    trades: (...given) => discreet(client.trades(...given)),
    candles: (...given) => discreet(client.candles(...given)),
    accounts: async (...given) => withNamedAccount(await discreet(client.accounts(...given))),
    orders: async (...given) => scrubber.value(await client.orders(...given)),
    order: async (...given) => scrubber.value(await client.order(...given)),
    fills: (...given) => discreet(client.fills(...given)),
    submit: async (...given) => scrubber.value(await client.submit(...given)),
    cancel: async (...given) => scrubber.value(await client.cancel(...given)),
    cancelAll: (...given) => discreet(client.cancelAll(...given)),
    ...(setTimer === undefined ? {} : { setCancelTimer: (seconds: number) => discreet(setTimer(seconds)) }),
  };
}

/** What is paid and remitted is written down, so nothing of it passes as it came. */
export function discreetTransfers(client: TransferVenue): TransferVenue {
  return {
    quotePayment: async (...given) => scrubber.value(await client.quotePayment(...given)),
    confirmPayment: async (...given) => scrubber.value(await client.confirmPayment(...given)),
    refundPayment: async (...given) => scrubber.value(await client.refundPayment(...given)),
    payment: async (...given) => scrubber.value(await client.payment(...given)),
    paymentBy: async (...given) => scrubber.value(await client.paymentBy(...given)),
    quoteRemittance: async (...given) => scrubber.value(await client.quoteRemittance(...given)),
    remittanceQuote: async (...given) => scrubber.value(await client.remittanceQuote(...given)),
    createRemittance: async (...given) => scrubber.value(await client.createRemittance(...given)),
    cancelRemittance: async (...given) => scrubber.value(await client.cancelRemittance(...given)),
    remittance: async (...given) => scrubber.value(await client.remittance(...given)),
    remittanceBy: async (...given) => scrubber.value(await client.remittanceBy(...given)),
  };
}

/** What went wrong is written down, market data is not; whatever leaves is scrubbed again. */
async function discreet<T>(answer: Promise<Result<T>>): Promise<Result<T>> {
  const result = await answer;
  return result.ok ? result : failed(scrubber.value(result.fault));
}

/** An exchange may call the account by its key. Another key's account must not come to the same name. */
function withNamedAccount(answer: Result<Accounts>): Result<Accounts> {
  if (!answer.ok) return answer;
  const { account_id: given } = answer.value;
  const shown = scrubber.text(given);
  return shown === given ? answer : ok({ ...answer.value, account_id: `${shown} ${keyName(given)}` });
}
