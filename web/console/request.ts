/**
 * Owns what the page asks its server for and tells it to do. A failure is a value, in the words of the server where it gave any.
 *
 * Invariant: what changes something is sent once; where no answer comes it says so, and nothing here sends it again.
 */
import type {
  ApproveRequest,
  BeginPasskey,
  BegunPasskey,
  CancelRequest,
  ChallengeRequest,
  ChallengeView,
  ConsoleAudit,
  ConsoleBook,
  ConsoleCandles,
  ConsoleFailure,
  ConsoleFills,
  ConsoleMarkets,
  ConsoleOrder,
  ConsoleOrders,
  ConsolePolicy,
  ConsolePortfolio,
  ConsoleSession,
  ConsoleTrades,
  ConsoleWrite,
  DenyRequest,
  FinishPasskey,
  HaltRequest,
  RemovePasskey,
  ResumeRequest,
  SignOutRequest,
} from "../../src/serve/console/console-api.ts";

/** What an order, a halt or a resume came to. */
/** Of a transfer, where what waited was one. */
type WriteReport = Extract<ConsoleWrite, { readonly state: string }>;
export type OrderReport = Exclude<WriteReport, { readonly draft: true }>;
export type HaltReport = Extract<ConsoleWrite, { readonly brake: string }>;
type ResumeReport = Extract<ConsoleWrite, { readonly resumed: boolean }>;

export type Answer<Value> = { readonly ok: true; readonly value: Value } | Failed;

export type Failed = { readonly ok: false } & (
  | /** The server does not know this session any more. */ { readonly kind: "ended" }
  | /** Nothing answered: what was to be done may have been done. */ { readonly kind: "unreachable" }
  | { readonly kind: "refused"; readonly failure: ConsoleFailure }
);

/** What is read, by its path below `/console/`. */
export interface Reads {
  readonly session: ConsoleSession;
  readonly markets: ConsoleMarkets;
  readonly book: ConsoleBook;
  readonly trades: ConsoleTrades;
  readonly candles: ConsoleCandles;
  readonly portfolio: ConsolePortfolio;
  readonly orders: ConsoleOrders;
  readonly order: ConsoleOrder;
  readonly fills: ConsoleFills;
  readonly policy: ConsolePolicy;
  readonly audit: ConsoleAudit;
}

/** What is told, and what is answered. */
export interface Writes {
  readonly approve: [ApproveRequest, WriteReport];
  readonly deny: [DenyRequest, WriteReport];
  readonly halt: [HaltRequest, HaltReport];
  readonly resume: [ResumeRequest, ResumeReport];
  readonly cancel: [CancelRequest, OrderReport];
  readonly challenge: [ChallengeRequest, ChallengeView];
  readonly "sign-out": [SignOutRequest, unknown];
  readonly "passkeys/begin": [BeginPasskey, BegunPasskey];
  readonly "passkeys/finish": [FinishPasskey, unknown];
  readonly "passkeys/remove": [RemovePasskey, unknown];
}

export type Query = Readonly<Record<string, string | undefined>>;

export function read<Path extends keyof Reads>(path: Path, query: Query = {}): Promise<Answer<Reads[Path]>> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const search = given.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(given))}`;
  return answerTo(`./console/${path}${search}`, { headers: { Accept: "application/json" } });
}

export function write<Path extends keyof Writes>(
  csrf: string,
  path: Path,
  body: Writes[Path][0],
): Promise<Answer<Writes[Path][1]>> {
  return answerTo(`./console/${path}`, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "X-Hoga-Csrf": csrf },
    body: JSON.stringify(body),
  });
}

async function answerTo<Value>(url: string, request: RequestInit): Promise<Answer<Value>> {
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(url, request);
    const text = await response.text();
    content = text === "" ? undefined : JSON.parse(text);
  } catch {
    return { ok: false, kind: "unreachable" };
  }
  if (response.ok) return { ok: true, value: content as Value };
  if (response.status === 401) return { ok: false, kind: "ended" };
  const failure = isFailure(content) ? content : { error: { code: `HTTP ${response.status}`, message: "" } };
  return { ok: false, kind: "refused", failure };
}

function isFailure(content: unknown): content is ConsoleFailure {
  return typeof content === "object" && content !== null && "error" in content;
}
