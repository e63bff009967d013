/**
 * The desk as every entry point (MCP tool, command line, library) sees it.
 */

import type {
  Candle,
  CandleInterval,
  FillsRequest,
  Market,
  Order,
  OrderPage,
  OrdersRequest,
  PublicTrade,
  Result,
  Ticker,
} from "../contract/index.ts";
import type { ApprovalAnswer } from "./model/approval-request.ts";
import type { ApprovalWay, Environment, OrderRequest } from "./model/intent.ts";
import type { PolicyInForce } from "./model/policy.ts";
import type {
  AuditView,
  AwaitReport,
  AwaitRequest,
  BalancesView,
  BookView,
  CancelAllReport,
  CancelTimerReport,
  DeskStatus,
  FillView,
  HaltReport,
  OrderName,
  OrderView,
  PendingView,
  PersonsWord,
  Preview,
  ReconcileReport,
  ResumeReport,
  Stamp,
  WriteReport,
} from "./model/reports.ts";
import type { AuditQuery } from "./ports/audit.ts";
import type { StreamDesk } from "./ports/market-stream.ts";
import type { TransferDesk } from "./transfer/transfer-desk.ts";

/** The desk: every entry point trades and looks through this, and only through this. */
export interface Desk extends StreamDesk {
  readonly environment: Environment;
  readonly profile: string;
  /** Resolves what a caller typed (`BTC/KRW`, `btckrw`, `KRW-BTC`) to a market, or a fault with the nearest matches. */
  market(symbol: string): Promise<Result<Market>>;
  markets(search?: string): Promise<Result<readonly Market[]>>;
  tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>>;
  /** `followed`: the venue is not asked where its stream has told it. */
  orderbook(symbol: string, depth?: number, followed?: "followed"): Promise<Result<BookView>>;
  trades(symbol: string, limit?: number): Promise<Result<readonly PublicTrade[]>>;
  candles(
    symbol: string,
    interval: CandleInterval,
    period?: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<Result<readonly Candle[]>>;
  balances(): Promise<Result<BalancesView>>;
  /** Orders by state; default open. */
  orders(request: OrdersRequest): Promise<Result<OrderPage & Stamp>>;
  order(name: OrderName): Promise<Result<OrderView>>;
  fills(request: FillsRequest): Promise<Result<FillView>>;
  preview(request: OrderRequest): Promise<Result<Preview>>;
  /** Places once. Never throws for expected outcomes; the report says what is true. */
  place(request: OrderRequest | { readonly draft_id: string }): Promise<WriteReport>;
  cancel(name: OrderName): Promise<WriteReport>;
  cancelAll(symbol?: string): Promise<CancelAllReport>;
  /** Orders that wait for a person, oldest first. */
  pending(): Promise<Result<PendingView>>;
  /**
   * A person has said yes, at a place the model cannot reach: places the order if everything still holds.
   * @param shown `digest` of the question that the person has read: the yes is to no later one about the same order
   */
  approve(intentId: string, way: ApprovalWay, shown?: string): Promise<WriteReport>;
  /** A person's no. @returns a fault where it could not be written down: then it does not stand */
  deny(intentId: string): Promise<Result<WriteReport>>;
  /**
   * Seals a waiting order for a question that travels through the client; a fault where no answer would count that comes
   * that way, or with this call.
   */
  sealApproval(intentId: string, request?: ApprovalAnswer["request"]): Promise<Result<string>>;
  /** An answer that came back through the client, with the seal and the arguments of the call that was asked about. */
  answerApproval(answer: ApprovalAnswer): Promise<WriteReport>;
  /**
   * A person, who has looked at the exchange, says what became of an order without an answer.
   * @param name id or userref
   * @returns a fault where the word was not taken: the order is as it was
   */
  settle(name: string, word: PersonsWord): Promise<Result<WriteReport>>;
  /** Stops all new orders in every process and cancels what is open. Needs nobody's approval. */
  halt(reason: string, by: string): Promise<HaltReport>;
  /** Lifts the brake: a person's to do. */
  resume(by: string): Promise<ResumeReport>;
  /** Cancels everything in `seconds` unless set again before; 0 disarms. */
  setCancelTimer(seconds: number): Promise<Result<CancelTimerReport>>;
  audit(query: Pick<AuditQuery, "orderId" | "limit"> & Pick<OrderName, "userref">): Promise<Result<AuditView>>;
  policy(): Promise<Result<PolicyInForce>>;
  /** Fires the cancel timer if it is due: for a process that does not stay. Nobody is asked where no timer is due. */
  fireDueTimer(): Promise<void>;
  /** What a process that stays does every second or so: settles, follows, expires, fires the timer. */
  upkeep(): Promise<ReconcileReport>;
  /**
   * Somebody else says how an order is now, such as a webhook: a reason to ask the venue, never evidence.
   * @returns whether the venue was asked; a fault where it could not be
   */
  notice(order: Order): Promise<Result<boolean>>;
  awaitOrder(request: AwaitRequest): Promise<Result<AwaitReport>>;
  status(): Promise<DeskStatus>;
  /** Payments and remittances; absent where they cannot be made. */
  readonly transfers?: TransferDesk;
  /** Settles every intent whose truth is unknown; safe to call at any time, from any process. */
  reconcile(): Promise<ReconcileReport>;
}
