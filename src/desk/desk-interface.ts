/**
 * The desk as every entry point (MCP tool, command line, library) sees it.
 */

import type {
  Candle,
  CandleInterval,
  Market,
  Order,
  OrderPage,
  OrdersRequest,
  PublicTrade,
  Result,
  Side,
  Ticker,
  VenueCard,
} from "../contract/index.ts";
import type {
  ApprovalAnswer,
  ApprovalOutlook,
  AskedBy,
  PendingOrder,
  Press,
  TicketHolder,
} from "./model/approval-request.ts";
import type { OrderRequest } from "./model/intent.ts";
import type { Listener } from "./model/listener.ts";
import type { PolicyInForce } from "./model/policy.ts";
import type { PortfolioRequest, PortfolioView } from "./model/portfolio-report.ts";
import type { ReplaceRequest } from "./model/replaced-order.ts";
import type {
  AuditRequest,
  AuditView,
  AwaitReport,
  AwaitRequest,
  BalancesView,
  BookView,
  CancelAllReport,
  CancelTimerReport,
  DeskStatus,
  FillsQuery,
  FillView,
  HaltReport,
  OpenOrdersView,
  OrderName,
  OrderView,
  PendingView,
  PersonsWord,
  ReconcileReport,
  Stamp,
  Standing,
  TicketedPreview,
  UnreadyPart,
  WriteReport,
} from "./model/reports.ts";
import type { ApprovalWay, Environment, PasskeyAssertion } from "./model/submission.ts";
import type { PlanDesk } from "./plans/plan-desk.ts";
import type { StreamDesk } from "./ports/market-stream.ts";
import type { ResumeGo, ResumeReport, SinceCopy } from "./queries/unknown-orders.ts";
import type { TransferDesk } from "./transfer/transfer-desk.ts";

/** The desk: every entry point trades and queries through this, and only through this. */
export interface Desk extends StreamDesk {
  readonly environment: Environment;
  /** What sums are counted in: the unit of account. */
  readonly unit: string;
  /** What the exchange in use promises and has. */
  readonly card: VenueCard;
  /** Tells whether it is known that no real money is traded. */
  isPractice(): boolean;
  /** Environment and account as they are known now, without asking anybody; the account is "unknown" until the venue has named it. */
  stamp(): Stamp;
  readonly profile: string;
  /** IANA name of the zone by whose days it counts. */
  readonly timeZone: string;
  /** Resolves what a caller typed (`BTC/KRW`, `btckrw`, `KRW-BTC`) to a market, or a fault with the nearest matches. */
  market(symbol: string): Promise<Result<Market>>;
  markets(search?: string): Promise<Result<readonly Market[]>>;
  tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>>;
  /** `followed`: the book of the stream will do, where there is one. */
  orderbook(symbol: string, depth?: number, followed?: "followed"): Promise<Result<BookView>>;
  /** @param followed as of `orderbook` */
  trades(symbol: string, limit?: number, followed?: "followed"): Promise<Result<readonly PublicTrade[]>>;
  candles(
    symbol: string,
    interval: CandleInterval,
    period?: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<Result<readonly Candle[]>>;
  balances(): Promise<Result<BalancesView>>;
  /** Orders by state; default open. `background`: nobody waits for this page. */
  orders(request: OrdersRequest, options?: { readonly background?: boolean }): Promise<Result<OrderPage & Stamp>>;
  /** Orders that are open, and apart from them those that wait for a person. */
  openOrders(request: Omit<OrdersRequest, "state">): Promise<Result<OpenOrdersView>>;
  /** @param listener who is to learn of it, here and below; without one it counts as heard when it is returned */
  order(name: OrderName, listener?: Listener): Promise<Result<OrderView>>;
  fills(request: FillsQuery): Promise<Result<FillView>>;
  /** Tells what is held, what it cost and is worth, and what a period earned: from all fills, which are read from the venue first. */
  portfolio(request: PortfolioRequest): Promise<Result<PortfolioView>>;
  /** @param holder of the ticket, for a client with a view of it */
  preview(request: OrderRequest, holder?: TicketHolder): Promise<Result<TicketedPreview>>;
  /**
   * Places once. Never throws for expected outcomes; the report says what is true.
   * @param session of the client that asks: only in it an answer in the client's form counts
   */
  place(
    request: OrderRequest | { readonly draft_id: string },
    session?: string,
    listener?: Listener,
  ): Promise<WriteReport>;
  /** Places a draft because the button of its ticket was pressed. */
  press(press: Press, listener?: Listener): Promise<WriteReport>;
  /** Changes an open limit order: the new one is placed when the old one is proven gone. @param session as of `place` */
  replace(request: ReplaceRequest, session?: string, listener?: Listener): Promise<WriteReport>;
  /** Goes on where it is withdrawn, as it only takes risk away. */
  cancel(name: OrderName, listener?: Listener): Promise<WriteReport>;
  cancelAll(symbol?: string, side?: Side): Promise<CancelAllReport>;
  /** Orders that wait for a person, oldest first. */
  pending(): Promise<Result<PendingView>>;
  /**
   * Tells what one of them would do in the market as it is now. @returns undefined where that cannot be had at once: a person waits for it
   */
  outlook(request: Pick<PendingOrder, "order" | "price_seen">): Promise<ApprovalOutlook | undefined>;
  /**
   * A person has approved it, where the model cannot: places the order if everything still holds.
   * @param shown `digest` of the request that the person has read: the approval is for no later one of the same order
   * @param assertion of a passkey, over that digest
   */
  approve(intentId: string, way: ApprovalWay, shown: string, assertion?: PasskeyAssertion): Promise<WriteReport>;
  /** A person's denial. @returns a fault where it could not be stored: then it has no effect */
  deny(intentId: string): Promise<Result<WriteReport>>;
  /**
   * Seals a waiting order for a question that travels through the client; a fault where no answer would count that comes
   * that way, or with this call, and where another question waits.
   * @param shown `digest` of the question that is put
   */
  sealApproval(
    intentId: string,
    shown: string,
    request?: ApprovalAnswer["request"],
    session?: string,
    asked?: AskedBy,
  ): Promise<Result<string>>;
  /** Says where `policy.toml` lies, for whoever owns the desk; others are told of `POLICY_FILE`. */
  readonly policyPath: string | undefined;
  /** The whole command line that runs `hoga` with these words on a person's terminal, with the settings of this process. */
  command(...words: readonly string[]): string;
  /** Leads to where a person answers it in a browser, by the id of the order or transfer; undefined where no console is served here. */
  approvalPage(id: string): string | undefined;
  /** An answer that came back through the client, with the seal and the arguments of the call that it is about. */
  answerApproval(answer: ApprovalAnswer, listener?: Listener): Promise<WriteReport>;
  /**
   * Manual settlement: a person who has looked at the exchange says what became of an order without an answer.
   * @param name id or userref
   * @returns a fault where this was not accepted: the order is unchanged
   */
  settle(name: string, word: PersonsWord): Promise<Result<WriteReport>>;
  /** Stops all new orders in every process and cancels what is open. Needs no approval. */
  halt(reason: string, by: string): Promise<HaltReport>;
  /** Lists what the account has ordered since the copy that the store was put back from, where nobody has resumed since; else undefined. */
  sinceCopy(): Promise<Result<SinceCopy | undefined>>;
  /** Lifts the halt: only for a person, who has seen that list where there is one. */
  resume(by: string, go?: ResumeGo): Promise<ResumeReport>;
  /** Cancels everything in `seconds` unless set again before; 0 disarms. */
  setCancelTimer(seconds: number): Promise<Result<CancelTimerReport>>;
  audit(request: AuditRequest): Promise<Result<AuditView>>;
  policy(): Promise<Result<PolicyInForce>>;
  /** Fires the cancel timer if it is due, for a process that ends after one command. No query leaves where no timer is due. */
  fireDueTimer(): Promise<void>;
  /** Settles, follows, expires and fires the timer, every second or so in a process that stays. */
  upkeep(): Promise<ReconcileReport>;
  /**
   * Somebody else, such as a webhook, reports the state of an order: a reason to query the venue, never evidence.
   * @returns whether the venue was queried; a fault where it could not be
   */
  notice(order: Order): Promise<Result<boolean>>;
  awaitOrder(request: AwaitRequest, listener?: Listener): Promise<Result<AwaitReport>>;
  status(): Promise<DeskStatus>;
  /** Tells what the store knows of the account, for figures that are read often: no call to the venue leaves for it. */
  standing(): Promise<Result<Standing>>;
  /** Names what keeps the desk from working, in one word; undefined where nothing does. Answers within a second, whatever hangs. */
  unready(): Promise<UnreadyPart | undefined>;
  /** Payments and remittances; absent where they cannot be made. */
  readonly transfers?: TransferDesk;
  /** Plans; absent where nothing keeps them. */
  readonly plans?: PlanDesk;
  /** Settles every intent whose truth is unknown; safe to call at any time, from any process. */
  reconcile(): Promise<ReconcileReport>;
}
