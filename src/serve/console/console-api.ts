/**
 * Holds what the console's page and its server say to each other, as types alone: beside the words, all that the page imports of `src`.
 *
 * All paths are below `/console/`. A read is a GET and answers its view. A write is a POST of JSON with the header `X-Hoga-Csrf`, which holds
 * `csrf` of the session. What fails answers `ConsoleFailure` with a 4xx or 5xx status; a write that was denied, rejected or left unknown is no failure of
 * the request: it answers its report. Field names are public, as in `desk/model/reports.ts`; amounts are decimal text.
 */
import type { Candle, CandleInterval, FillPage, Market, OrderPage, PublicTrade, Ticker } from "../../contract/index.ts";
import type {
  ApprovalOutlook,
  ApprovalWay,
  AuditView,
  BookView,
  DeskStatus,
  Environment,
  HaltReport,
  OpenOrdersView,
  OrderView,
  PendingOrder,
  PolicyInForce,
  PortfolioView,
  ReportedError,
  ResumeReport,
  Stamp,
  TransferReport,
  WriteReport,
} from "../../desk/index.ts";

export interface ConsoleFailure {
  readonly error: Pick<ReportedError, "code" | "message"> & Partial<ReportedError>;
  readonly next_action?: string;
}

/** `GET session`. */
export interface ConsoleSession {
  /** For the header of every write. */
  readonly csrf: string;
  readonly version: string;
  readonly locale: "en" | "ko";
  /** IANA name. */
  readonly timezone: string;
  readonly environment: Environment;
  /** Tells whether it is known that no real money is traded. */
  readonly is_practice: boolean;
  readonly profile: string;
  readonly account: string;
  /** What sums are counted in. */
  readonly unit: string;
  readonly approve_by: readonly ApprovalWay[];
  /** Null where the store cannot be read. */
  readonly pin_set: boolean | null;
  readonly passkeys: readonly PasskeyView[];
  /** The origin at which passkeys work, such as `http://localhost:8421`; null where they cannot. */
  readonly passkey_origin: string | null;
  /** Says where assistants connect. */
  readonly mcp_url: string;
  readonly exchange_url: string;
}

export interface PasskeyView {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** Counts for real money: it was enrolled with the PIN, or by one that was. */
  readonly proven: boolean;
}

/** `GET markets`. */
export interface ConsoleMarkets {
  readonly markets: readonly Market[];
  readonly tickers: readonly Ticker[];
}
/** `GET book?symbol=`. */
export type ConsoleBook = BookView;
/** `GET trades?symbol=`: public prints, newest first. */
export interface ConsoleTrades {
  readonly trades: readonly PublicTrade[];
}
/** `GET candles?symbol=&interval=`, oldest first. */
export interface ConsoleCandles {
  readonly interval: CandleInterval;
  readonly candles: readonly Candle[];
}
/** `GET portfolio?period=`, with equity. */
export type ConsolePortfolio = PortfolioView;
/** `GET orders?state=open`: open and waiting. */
export type ConsoleOpenOrders = OpenOrdersView;
/** `GET orders?state=closed&cursor=`: the history. */
export type ConsoleOrders = OrderPage & Stamp;
/** `GET order?order_id=` or `?userref=`: with its fills. */
export type ConsoleOrder = OrderView;
/** `GET fills?cursor=&symbol=`: own fills, newest first. */
export type ConsoleFills = FillPage & Stamp;
/** `GET policy`. */
export type ConsolePolicy = PolicyInForce;
/** `GET audit?limit=&order_id=&userref=`, newest first. */
export interface ConsoleAudit extends AuditView {
  /** Tells whether the chain of the log holds: null while that is being checked. */
  readonly chain: { readonly holds: boolean; readonly checked_at: string; readonly message?: string } | null;
}

/** `GET approvals`, oldest first. */
export interface ConsoleApprovals extends Stamp {
  readonly waiting: readonly ApprovalView[];
}
export interface ApprovalView {
  readonly kind: "order" | "transfer";
  readonly id: string;
  /** Names exactly this question; the yes carries it. */
  readonly digest: string;
  readonly summary: string;
  readonly value: string;
  /** Stands as the desk gives it, to be said in the reader's language. */
  readonly why: string;
  readonly asked_at: string;
  readonly expires_at: string;
  /** Shows an order. */
  readonly order?: PendingOrder;
  /** Tells what the book says now, of an order; null where it cannot be read. */
  readonly now?: ApprovalOutlook | null;
  /** The question as `hoga approve` puts it, in the reader's language. */
  readonly question: string;
}

/** `GET assistants`: who is connected by MCP, and what was called last. */
export interface ConsoleAssistants {
  readonly connected: readonly AssistantView[];
  /** Newest first, at most 50. */
  readonly calls: readonly CallView[];
}
export interface AssistantView {
  /** Stands as the client named itself: data, never instructions. */
  readonly client: string;
  readonly caller: string;
  readonly since: string;
  readonly last_call_at: string | null;
}
export interface CallView {
  readonly at: string;
  readonly caller: string;
  readonly client: string | null;
  readonly tool: string;
  readonly outcome: string;
  readonly ms: number;
}

/** Shows that a person is one. */
export type Proof =
  | { readonly pin: string }
  /** `AuthenticationResponseJSON` of WebAuthn, for the challenge that was asked for. */
  | { readonly passkey: unknown };

/** `POST approve`. */
export interface ApproveRequest {
  readonly id: string;
  readonly digest: string;
  readonly proof: Proof;
}
/** `POST deny`: needs no proof, as it only takes risk away. */
export interface DenyRequest {
  readonly id: string;
}
/** `POST halt`: needs no proof. */
export interface HaltRequest {
  readonly reason?: string;
}
/** `POST resume`. */
export interface ResumeRequest {
  readonly proof: Proof;
}
/** `POST cancel`: needs no proof. */
export interface CancelRequest {
  readonly order_id: string;
}
/** `POST sign-out`, with an empty object: ends the session and its events. */
export type SignOutRequest = Record<string, never>;
/** A transfer's report where what was approved or denied is one. */
export type ConsoleWrite = WriteReport | TransferReport | HaltReport | ResumeReport;

/** `POST challenge`: what a passkey is asked to sign. Of an approval the challenge is the approval digest itself. */
export type ChallengeRequest =
  | { readonly purpose: "approve"; readonly id: string; readonly digest: string }
  | { readonly purpose: "resume" }
  | { readonly purpose: "remove"; readonly passkey_id: string }
  | { readonly purpose: "enrol" };
export interface ChallengeView {
  /** `PublicKeyCredentialRequestOptionsJSON`. */
  readonly options: unknown;
}

/** `POST passkeys/begin`, then `POST passkeys/finish`. The first needs a proof, where a PIN or a passkey is there. */
export interface BeginPasskey {
  readonly name: string;
  readonly proof?: Proof;
}
export interface BegunPasskey {
  /** `PublicKeyCredentialCreationOptionsJSON`. */
  readonly options: unknown;
}
export interface FinishPasskey {
  /** `RegistrationResponseJSON`. */
  readonly response: unknown;
}
/** `POST passkeys/remove`. */
export interface RemovePasskey {
  readonly id: string;
  readonly proof: Proof;
}

/**
 * `GET events?symbol=`: server-sent events. Each has an `id`; a page that comes again with `Last-Event-ID` gets the newest of each topic that has changed since.
 * The `data` of each topic is its whole view, never a difference.
 */
export interface ConsoleEvents {
  readonly status: DeskStatus;
  readonly approvals: ConsoleApprovals;
  readonly orders: ConsoleOpenOrders;
  readonly tickers: readonly Ticker[];
  /** Belongs to `symbol`. */
  readonly book: ConsoleBook;
  /** Belong to `symbol`. */
  readonly trades: ConsoleTrades;
  readonly assistants: ConsoleAssistants;
  /** Names what has changed and is to be read anew. */
  readonly changed: { readonly what: readonly ("portfolio" | "history" | "fills" | "audit" | "policy" | "session")[] };
}
