/**
 * The Payment API and the Remittance API as methods. Reads are asked again when that can help. A write is one request,
 * ever, under an idempotency key that the caller made durable before; no answer to it means unknown, and the fault names the key:
 * `paymentBy` and `remittanceBy` then read what became of it. Everything expected comes back as a `Result`; the only errors thrown
 * are the caller's own abort, an error of its `beforeSend`, and wrong options.
 *
 * A key's calls are numbered in one row over all APIs, so a client beside this one on the same key shares its `lane`.
 *
 * Source: decisions §2, §9; docs/decisions/0015; architecture rules 1, 5, 8–11.
 */
import {
  type CreateRemittanceBody,
  type Fault,
  failed,
  localFault,
  ok,
  type Payment,
  type PaymentList,
  type PaymentState,
  type QuotePaymentBody,
  type QuoteRemittanceBody,
  type Remittance,
  type RemittanceList,
  type RemittanceQuote,
  type RemittanceState,
  type Result,
  type TRANSFER_ENDPOINTS,
  type TransferEndpointId,
} from "../contract/index.ts";
import { ApiClient } from "./api-client.ts";
import type { QueryOptions, ReadOptions } from "./open-api-client.ts";
import type { ClientOptions } from "./options.ts";
import { clockCall, withMatch } from "./request/call.ts";
import type { ReadExtras, WriteExtras } from "./request/request-sender.ts";
import { composeTransfer, type TransferAnswer, type TransferInput } from "./transfer-call.ts";

/** What every write is given besides its arguments. */
export interface TransferWriteOptions {
  /** 1 to 64 of `[A-Za-z0-9._-]`, for this one request and no other, ever. */
  readonly idempotencyKey: string;
  /** Told the nonce before the first byte leaves; when it answers false nothing is sent. */
  readonly beforeSend?: (nonce: string) => Promise<boolean>;
}

interface PageRequest<State> {
  readonly state?: State;
  readonly cursor?: string;
  readonly limit?: number;
}

type Endpoints = typeof TRANSFER_ENDPOINTS;
type TransferWriteId = {
  [Id in TransferEndpointId]: Endpoints[Id]["method"] extends "POST" ? Id : never;
}[TransferEndpointId];
type TransferReadId = Exclude<TransferEndpointId, TransferWriteId>;

export class TransferClient extends ApiClient {
  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them. */
  constructor(options: ClientOptions) {
    super(options, clockCall());
  }

  /** What an amount of won costs in an asset. Moves nothing. */
  async quotePayment(body: QuotePaymentBody, write: TransferWriteOptions): Promise<Result<Payment>> {
    const isOurs = ({ amount, pay_asset: asset, order_ref: ref }: Payment): boolean =>
      amount === body.amount && asset === body.pay_asset && ref === body.order_ref;
    return this.#write("quotePayment", { body }, write, isOurs);
  }

  /** Takes `pay_amount`, brings the won in. */
  async confirmPayment(paymentId: string, write: TransferWriteOptions): Promise<Result<Payment>> {
    return this.#write("confirmPayment", { params: { id: paymentId } }, write, isPayment(paymentId));
  }

  /** Gives a quote up. Moves nothing. */
  async cancelPayment(paymentId: string, write: TransferWriteOptions): Promise<Result<Payment>> {
    return this.#write("cancelPayment", { params: { id: paymentId } }, write, isPayment(paymentId));
  }

  /** @param amount in won; all that is left when undefined. */
  async refundPayment(
    paymentId: string,
    amount: string | undefined,
    write: TransferWriteOptions,
  ): Promise<Result<Payment>> {
    const body = amount === undefined ? {} : { amount };
    return this.#write("refundPayment", { params: { id: paymentId }, body }, write, isPayment(paymentId));
  }

  async payment(paymentId: string, options?: QueryOptions): Promise<Result<Payment>> {
    return this.#read("payment", { params: { id: paymentId } }, options, isPayment(paymentId));
  }

  /** Newest first. */
  async payments(
    { orderRef, ...page }: PageRequest<PaymentState> & { readonly orderRef?: string } = {},
    options?: ReadOptions,
  ): Promise<Result<PaymentList>> {
    return this.#read("payments", { query: { ...page, order_ref: orderRef } }, options);
  }

  /**
   * The payment that the request with this key was about, as it is now; undefined when that request had no effect, which is final
   * once asked with `afterNonce`.
   */
  async paymentBy(idempotencyKey: string, options?: QueryOptions): Promise<Result<Payment | undefined>> {
    const found = await this.#read("payments", { query: { idempotency_key: idempotencyKey } }, options, isOneAtMost);
    return found.ok ? ok(found.value.payments[0]) : found;
  }

  /** What would arrive, or what has to be sent for it. Moves nothing. */
  async quoteRemittance(body: QuoteRemittanceBody, write: TransferWriteOptions): Promise<Result<RemittanceQuote>> {
    const isOurs = (quote: RemittanceQuote): boolean =>
      quote.source_asset === body.source_asset && quote.target_currency === body.target_currency;
    return this.#write("quoteRemittance", { body }, write, isOurs);
  }

  /** A quote while it can be used. */
  async remittanceQuote(quoteId: string, options?: ReadOptions): Promise<Result<RemittanceQuote>> {
    const isThis = ({ quote_id: id }: RemittanceQuote): boolean => id === quoteId;
    return this.#read("remittanceQuote", { params: { id: quoteId } }, options, isThis);
  }

  /** Locks what was quoted; it leaves once the review is done. */
  async createRemittance(body: CreateRemittanceBody, write: TransferWriteOptions): Promise<Result<Remittance>> {
    const isOurs = ({ quote_id: id, beneficiary }: Remittance): boolean =>
      id === body.quote_id && beneficiary.account === body.beneficiary.account;
    return this.#write("createRemittance", { body }, write, isOurs);
  }

  async cancelRemittance(remittanceId: string, write: TransferWriteOptions): Promise<Result<Remittance>> {
    return this.#write("cancelRemittance", { params: { id: remittanceId } }, write, isRemittance(remittanceId));
  }

  async remittance(remittanceId: string, options?: QueryOptions): Promise<Result<Remittance>> {
    return this.#read("remittance", { params: { id: remittanceId } }, options, isRemittance(remittanceId));
  }

  /** Newest first. */
  async remittances(page: PageRequest<RemittanceState> = {}, options?: ReadOptions): Promise<Result<RemittanceList>> {
    return this.#read("remittances", { query: { ...page } }, options);
  }

  /**
   * The remittance that the request with this key was about, as it is now; undefined when that request had no effect, which is final
   * once asked with `afterNonce`.
   */
  async remittanceBy(idempotencyKey: string, options?: QueryOptions): Promise<Result<Remittance | undefined>> {
    const query = { idempotency_key: idempotencyKey };
    const found = await this.#read("remittances", { query }, options, ({ remittances }) => remittances.length <= 1);
    return found.ok ? ok(found.value.remittances[0]) : found;
  }

  async #read<Id extends TransferReadId>(
    id: Id,
    input: TransferInput,
    extras?: ReadExtras,
    matches?: (answer: TransferAnswer<Id>) => boolean,
  ): Promise<Result<TransferAnswer<Id>>> {
    const call = composeTransfer(id, input);
    return call.ok ? this.sender.read(withMatch(call.value, matches), extras) : call;
  }

  async #write<Id extends TransferWriteId>(
    id: Id,
    input: TransferInput,
    { idempotencyKey: key, beforeSend }: TransferWriteOptions,
    matches: (answer: TransferAnswer<Id>) => boolean,
  ): Promise<Result<TransferAnswer<Id>>> {
    const call = composeTransfer(id, { ...input, key });
    if (!call.ok) return call;
    const extras: WriteExtras = { beforeSend };
    const result = await this.sender.write(withMatch(call.value, matches), extras);
    return result.ok ? result : failed(told(result.fault, key));
  }
}

/** Where the request sender speaks of orders, in the words of a payment or remittance. */
function told(fault: Fault, idempotencyKey: string): Fault {
  if (fault.code === "ELocal:Not placed")
    return localFault(fault.code, { message: "The request was withdrawn before it was sent." });
  if (fault.reachedVenue !== "unknown") return fault;
  return {
    ...fault,
    idempotencyKey,
    nextAction: "Look up what became of it by its idempotency key before anything else.",
  };
}

function isPayment(paymentId: string): (payment: Payment) => boolean {
  return ({ payment_id: id }) => id === paymentId;
}

function isRemittance(remittanceId: string): (remittance: Remittance) => boolean {
  return ({ remittance_id: id }) => id === remittanceId;
}

function isOneAtMost({ payments }: PaymentList): boolean {
  return payments.length <= 1;
}
