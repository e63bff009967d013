/**
 * Owns the paths of the console below `/console/`, as types alone: what each is asked with, and what it answers. The page asks by them, and the
 * handlers satisfy them.
 *
 * A read is a GET with a query, and answers its view. A write is a POST of JSON with the header `X-Hoga-Csrf`, which holds `csrf` of the session. What
 * fails answers `ConsoleFailure` with a 4xx or 5xx status; a write that was denied, rejected or left unknown is no failure of the request: it answers its report.
 */
import type { CandleInterval } from "../../contract/index.ts";
import type {
  DeskStatus,
  HaltReport,
  PlanWriteReport,
  PortfolioPeriod,
  ResumeReport,
  WriteReport,
} from "../../desk/index.ts";
import type {
  ApproveRequest,
  BeginPasskey,
  BegunPasskey,
  CancelRequest,
  ChallengeRequest,
  ChallengeView,
  ChangePlanRequest,
  ConsoleApprovals,
  ConsoleAssistants,
  ConsoleAudit,
  ConsoleBook,
  ConsoleCandles,
  ConsoleFills,
  ConsoleMarkets,
  ConsoleOrder,
  ConsoleOrders,
  ConsolePlan,
  ConsolePlans,
  ConsolePolicy,
  ConsolePortfolio,
  ConsoleSession,
  ConsoleSinceCopy,
  ConsoleTrades,
  Decided,
  DenyRequest,
  FinishPasskey,
  HaltRequest,
  Nothing,
  RemovePasskey,
  ResumeRequest,
} from "./console-api.ts";

interface Route<Asked, Answer> {
  readonly asked: Asked;
  readonly answer: Answer;
}

export interface Reads {
  readonly session: Route<Nothing, ConsoleSession>;
  readonly markets: Route<Nothing, ConsoleMarkets>;
  readonly status: Route<Nothing, DeskStatus>;
  readonly approvals: Route<Nothing, ConsoleApprovals>;
  readonly policy: Route<Nothing, ConsolePolicy>;
  readonly assistants: Route<Nothing, ConsoleAssistants>;
  readonly book: Route<{ readonly symbol: string }, ConsoleBook>;
  readonly trades: Route<{ readonly symbol: string }, ConsoleTrades>;
  readonly candles: Route<{ readonly symbol: string; readonly interval: CandleInterval }, ConsoleCandles>;
  readonly portfolio: Route<{ readonly period?: PortfolioPeriod }, ConsolePortfolio>;
  /** Shows what is open as `ConsoleOpenOrders`, with what waits, or the history. */
  readonly orders: Route<
    { readonly state: "open" } | { readonly state: "closed"; readonly cursor?: string | undefined },
    ConsoleOrders
  >;
  readonly order: Route<OrderQuery, ConsoleOrder>;
  readonly plans: Route<
    { readonly which?: "open" | "ended" | "all"; readonly cursor?: string | undefined },
    ConsolePlans
  >;
  readonly plan: Route<{ readonly plan_id: string }, ConsolePlan>;
  readonly fills: Route<{ readonly symbol?: string; readonly cursor?: string | undefined }, ConsoleFills>;
  readonly audit: Route<Partial<OrderQuery> & { readonly limit?: string }, ConsoleAudit>;
  readonly "since-copy": Route<Nothing, ConsoleSinceCopy>;
}

type OrderQuery = { readonly order_id: string } | { readonly userref: string };

export interface Writes {
  readonly approve: Route<ApproveRequest, Decided>;
  readonly deny: Route<DenyRequest, Decided>;
  readonly halt: Route<HaltRequest, HaltReport>;
  readonly resume: Route<ResumeRequest, ResumeReport>;
  readonly cancel: Route<CancelRequest, WriteReport>;
  readonly plan: Route<ChangePlanRequest, PlanWriteReport>;
  readonly challenge: Route<ChallengeRequest, ChallengeView>;
  readonly "passkeys/begin": Route<BeginPasskey, BegunPasskey>;
  readonly "passkeys/finish": Route<FinishPasskey, object>;
  readonly "passkeys/remove": Route<RemovePasskey, object>;
  /** Ends the session and its events. */
  readonly "sign-out": Route<Nothing, object>;
}

/** A GET whose answer goes on: of each topic its newest view, never a difference. */
export interface Streams {
  readonly events: { readonly symbol?: string };
}
