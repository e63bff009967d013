/**
 * The Payment API and the Remittance API as methods. Reads are retried when that can help. A write is one request, ever, under an
 * idempotency key that the caller has stored before. No answer to it means unknown, and the fault names the key: `paymentBy` and
 * `remittanceBy` then read what became of it. Expected outcomes are returned as a `Result`; the only errors thrown are the caller's
 * own abort, an error of its `beforeSend`, and wrong options.
 *
 * All APIs share the nonces of a key, so clients on the same key share one `lane`.
 *
 * Source: service.md#transfers, service.md#idempotency-key, service.md#idempotency-lookup, architecture.md#rule-1; decision 0015.
 */
import type { z } from "zod";
import {
  type CreateRemittanceBody,
  defined,
  type Fault,
  failed,
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  localFault,
  ok,
  type PageRequest,
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
  TRANSFER_ENDPOINTS,
  type TransferEndpointId,
} from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, WriteOptions } from "../../transport/index.ts";
import { ApiClient, type ClientOptions } from "./api-client.ts";
import { openClockCall } from "./open-api-client.ts";
import { type Call, type CallInput, composeCall } from "./request/call.ts";

/** Options of every write. */
export interface TransferWriteOptions {
  /** 1 to 64 characters of `[A-Za-z0-9._-]`, never used for another request. */
  readonly idempotencyKey: string;
  readonly beforeSend?: WriteOptions["beforeSend"];
}

interface ListRequest<State> extends PageRequest {
  readonly state?: State;
}

type Endpoints = typeof TRANSFER_ENDPOINTS;
type Answer<Id extends TransferEndpointId> = z.output<Endpoints[Id]["response"]>;
type WriteId = { [Id in TransferEndpointId]: Endpoints[Id]["method"] extends "POST" ? Id : never }[TransferEndpointId];
type ReadId = Exclude<TransferEndpointId, WriteId>;

function readCall<Id extends ReadId>(id: Id, input: CallInput): Result<Call<Answer<Id>, false>> {
  const detail = { family: "draft", endpoint: id, isPrivate: true, isWrite: false } as const;
  return composeCall(TRANSFER_ENDPOINTS[id], detail, input);
}

function writeCall<Id extends WriteId>(id: Id, key: string, input: CallInput): Result<Call<Answer<Id>, true>> {
  const named = idempotencyKey.safeParse(key);
  if (!named.success) {
    const message = `${IDEMPOTENCY_HEADER}: ${named.error.issues[0]?.message ?? "is missing"}. Nothing was sent.`;
    return failed(localFault("ELocal:Invalid input", { message, field: "idempotency_key" }));
  }
  const detail = { family: "draft", endpoint: id, isPrivate: true, isWrite: true, idempotencyKey: key } as const;
  return composeCall(TRANSFER_ENDPOINTS[id], detail, input);
}

export class TransferClient extends ApiClient {
  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them. */
  constructor(options: ClientOptions) {
    super(options, openClockCall());
  }

  /** Asks what an amount of won costs in an asset. Moves nothing. */
  async quotePayment(body: QuotePaymentBody, write: TransferWriteOptions): Promise<Result<Payment>> {
    const isOurs = ({ amount, pay_asset: asset, order_ref: ref }: Payment): boolean =>
      amount === body.amount && asset === body.pay_asset && ref === body.order_ref;
    return this.#write("quotePayment", { body }, write, isOurs);
  }

  /** Takes `pay_amount` from the account and pays the won. */
  async confirmPayment(paymentId: string, write: TransferWriteOptions): Promise<Result<Payment>> {
    return this.#write("confirmPayment", { params: { id: paymentId } }, write, isPayment(paymentId));
  }

  /** Cancels a quote. Moves nothing. */
  async cancelPayment(paymentId: string, write: TransferWriteOptions): Promise<Result<Payment>> {
    return this.#write("cancelPayment", { params: { id: paymentId } }, write, isPayment(paymentId));
  }

  /** @param amount in won; undefined refunds all that is left. */
  async refundPayment(
    paymentId: string,
    amount: string | undefined,
    write: TransferWriteOptions,
  ): Promise<Result<Payment>> {
    const input = { params: { id: paymentId }, body: defined({ amount }) };
    return this.#write("refundPayment", input, write, isPayment(paymentId));
  }

  async payment(paymentId: string, options?: QueryOptions): Promise<Result<Payment>> {
    return this.read(readCall("payment", { params: { id: paymentId } }), options, isPayment(paymentId));
  }

  /** Newest first. */
  async payments(
    { orderRef, ...page }: ListRequest<PaymentState> & { readonly orderRef?: string } = {},
    options?: ReadOptions,
  ): Promise<Result<PaymentList>> {
    return this.read(readCall("payments", { query: { ...page, order_ref: orderRef } }), options);
  }

  /**
   * The payment that the request with this key was about, as it is now. Undefined when that request had no effect; with
   * `afterNonce` that is final.
   */
  async paymentBy(idempotencyKey: string, options?: QueryOptions): Promise<Result<Payment | undefined>> {
    const found = await this.read(
      readCall("payments", { query: { idempotency_key: idempotencyKey } }),
      options,
      isOneAtMost,
    );
    return found.ok ? ok(found.value.payments[0]) : found;
  }

  /** Asks how much would arrive, or how much has to be sent. Moves nothing. */
  async quoteRemittance(body: QuoteRemittanceBody, write: TransferWriteOptions): Promise<Result<RemittanceQuote>> {
    const isOurs = (quote: RemittanceQuote): boolean =>
      quote.source_asset === body.source_asset && quote.target_currency === body.target_currency;
    return this.#write("quoteRemittance", { body }, write, isOurs);
  }

  /** A quote, as long as it can be used. */
  async remittanceQuote(quoteId: string, options?: ReadOptions): Promise<Result<RemittanceQuote>> {
    const isThis = ({ quote_id: id }: RemittanceQuote): boolean => id === quoteId;
    return this.read(readCall("remittanceQuote", { params: { id: quoteId } }), options, isThis);
  }

  /** Locks the quoted amount, which is sent after the review. */
  async createRemittance(body: CreateRemittanceBody, write: TransferWriteOptions): Promise<Result<Remittance>> {
    const isOurs = ({ quote_id: id, beneficiary }: Remittance): boolean =>
      id === body.quote_id && beneficiary.account === body.beneficiary.account;
    return this.#write("createRemittance", { body }, write, isOurs);
  }

  async cancelRemittance(remittanceId: string, write: TransferWriteOptions): Promise<Result<Remittance>> {
    return this.#write("cancelRemittance", { params: { id: remittanceId } }, write, isRemittance(remittanceId));
  }

  async remittance(remittanceId: string, options?: QueryOptions): Promise<Result<Remittance>> {
    return this.read(readCall("remittance", { params: { id: remittanceId } }), options, isRemittance(remittanceId));
  }

  /** Newest first. */
  async remittances(page: ListRequest<RemittanceState> = {}, options?: ReadOptions): Promise<Result<RemittanceList>> {
    return this.read(readCall("remittances", { query: { ...page } }), options);
  }

  /**
   * The remittance that the request with this key was about, as it is now. Undefined when that request had no effect; with
   * `afterNonce` that is final.
   */
  async remittanceBy(idempotencyKey: string, options?: QueryOptions): Promise<Result<Remittance | undefined>> {
    const query = { idempotency_key: idempotencyKey };
    const found = await this.read(
      readCall("remittances", { query }),
      options,
      ({ remittances }) => remittances.length <= 1,
    );
    return found.ok ? ok(found.value.remittances[0]) : found;
  }

  async #write<Id extends WriteId>(
    id: Id,
    input: CallInput,
    { idempotencyKey: key, beforeSend }: TransferWriteOptions,
    matches: (answer: Answer<Id>) => boolean,
  ): Promise<Result<Answer<Id>>> {
    const result = await this.write(writeCall(id, key, input), { beforeSend }, matches);
    return result.ok ? result : failed(inTransferWords(result.fault, key));
  }
}

/** Replaces what the request sender says about orders. */
function inTransferWords(fault: Fault, idempotencyKey: string): Fault {
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
