/**
 * Holds what the console's page and its server say to each other, as types alone; `console-routes.ts` has the paths by which they do.
 *
 * Field names are public, as in `desk/model/reports.ts`; amounts are decimal text.
 */
import type {
  Candle,
  CandleInterval,
  FillPage,
  Market,
  OrderPage,
  PublicTrade,
  Ticker,
  VenueCard,
} from "../../contract/index.ts";
import type {
  ApprovalOutlook,
  ApprovalWay,
  AuditView,
  BookView,
  DeskStatus,
  Environment,
  OpenOrdersView,
  OrderView,
  PendingOrder,
  PlanAction,
  PlanQuestionAction,
  PlansView,
  PlanView,
  PlanWatchView,
  PlanWriteReport,
  PolicyInForce,
  PortfolioView,
  ReportedError,
  SinceCopy,
  Stamp,
  TransferReport,
  WriteReport,
} from "../../desk/index.ts";

/** Tells what became of what waited. */
export type Decided = WriteReport | TransferReport | PlanWriteReport;

export interface ConsoleFailure {
  readonly error: Pick<ReportedError, "code" | "message"> & Partial<ReportedError>;
  readonly next_action?: string;
}

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
  /** Where orders go, by the name of its card, and as people call it. */
  readonly exchange: Pick<VenueCard, "name" | "title">;
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

export interface ConsoleMarkets {
  readonly markets: readonly Market[];
  readonly tickers: readonly Ticker[];
}
export type ConsoleBook = BookView;
/** Public prints, newest first. */
export interface ConsoleTrades {
  readonly trades: readonly PublicTrade[];
}
/** Oldest first. */
export interface ConsoleCandles {
  readonly interval: CandleInterval;
  readonly candles: readonly Candle[];
}
/** With equity. */
export type ConsolePortfolio = PortfolioView;
/** Open and waiting. */
export type ConsoleOpenOrders = OpenOrdersView;
/** The history. */
export type ConsoleOrders = OrderPage & Stamp;
/** With its fills. */
export type ConsoleOrder = OrderView;
/** Own fills, newest first. */
export type ConsoleFills = FillPage & Stamp;
export type ConsolePolicy = PolicyInForce;
/** Plans and alerts, newest first, and who watches. */
export type ConsolePlans = PlansView;
/** With its steps. */
export interface ConsolePlan extends Stamp {
  readonly plan: PlanView;
  /** Its gaps are those of the plan's own market. */
  readonly watch: PlanWatchView;
}
/** Newest first. */
export interface ConsoleAudit extends AuditView {
  /** Tells whether the chain of the log holds: null while that is being checked. */
  readonly chain: { readonly holds: boolean; readonly checked_at: string; readonly message?: string } | null;
}

/** Oldest first. */
export interface ConsoleApprovals extends Stamp {
  readonly waiting: readonly ApprovalView[];
}
export interface ApprovalView {
  /** `plan`: it is to begin. `plan_change`: what stands is to be changed. */
  readonly kind: "order" | "transfer" | "plan" | "plan_change";
  /** Of a plan: its own. */
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
  /** Shows a plan, to be said in the reader's language. */
  readonly plan?: PlanView;
  readonly plan_action?: PlanQuestionAction;
  /** Of a plan: what was known against it when it was asked for. Sentences without a full stop. */
  readonly warnings?: readonly string[];
  /** The question as `hoga approve` puts it, in the reader's language. */
  readonly question: string;
}

/** Who is connected by MCP, and what was called last. */
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

export interface ApproveRequest {
  readonly id: string;
  readonly digest: string;
  readonly proof: Proof;
}
/** Needs no proof, as it only takes risk away. */
export interface DenyRequest {
  readonly id: string;
}
/** Needs no proof. */
export interface HaltRequest {
  readonly reason?: string;
}
export interface ResumeRequest {
  readonly proof: Proof;
  /** `digest` of the list that was shown, in a store that was put back from a copy. */
  readonly shown?: string | undefined;
}
/** What a person is to see before they resume: null where there is nothing. */
export interface ConsoleSinceCopy {
  readonly since_copy: SinceCopy | null;
}
/** Needs no proof. */
export interface CancelRequest {
  readonly order_id: string;
}
/** Needs a proof where money may be real and it starts a plan again, or takes a protection away. */
export interface ChangePlanRequest {
  readonly plan_id: string;
  readonly action: PlanAction;
  readonly proof?: Proof | undefined;
}
export type Nothing = Readonly<Record<string, never>>;

/** What a passkey is asked to sign. Of an approval the challenge is the approval digest itself. */
export type ChallengeRequest =
  | { readonly purpose: "approve"; readonly id: string; readonly digest: string }
  | { readonly purpose: "resume"; readonly shown?: string | undefined }
  | { readonly purpose: "plan"; readonly plan_id: string; readonly action: PlanAction }
  | { readonly purpose: "remove"; readonly passkey_id: string }
  | { readonly purpose: "enrol" };
export interface ChallengeView {
  /** `PublicKeyCredentialRequestOptionsJSON`. */
  readonly options: unknown;
}

/** Needs a proof, where a PIN or a passkey is there. */
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
export interface RemovePasskey {
  readonly id: string;
  readonly proof: Proof;
}

/**
 * Server-sent events. Each has an `id`; a page that comes again with `Last-Event-ID` gets the newest of each topic that has changed since.
 * The `data` of each topic is its whole view, never a difference.
 */
export interface ConsoleEvents {
  readonly status: DeskStatus;
  readonly approvals: ConsoleApprovals;
  readonly orders: ConsoleOpenOrders;
  /** Those that have not ended. */
  readonly plans: ConsolePlans;
  readonly tickers: readonly Ticker[];
  /** Belongs to `symbol`. */
  readonly book: ConsoleBook;
  /** Belong to `symbol`. */
  readonly trades: ConsoleTrades;
  readonly assistants: ConsoleAssistants;
  /** Names what has changed and is to be read anew. */
  readonly changed: { readonly what: readonly ("portfolio" | "history" | "fills" | "audit" | "policy" | "session")[] };
}
