/**
 * Owns the console for whoever has signed in: its page, what it shows, what a person does there, and the events that keep it up to date.
 * Entry point: `consoleEndpoint`.
 *
 * Invariants: it is the owner's own desk; no answer holds a secret.
 *
 * Source: decision 0044.
 */
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { candleInterval, defined, ok, type Result } from "../../contract/index.ts";
import { type Desk, PORTFOLIO_PERIODS } from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import type { AssistantWatch } from "../sessions/assistant.ts";
import type { InFlight } from "../wire/in-flight.ts";
import { sendJson } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import type { Endpoint, Handler, Routes } from "../wire/route.ts";
import { ChainCheck, type CheckChain } from "./chain-check.ts";
import type { ConsoleSession as SessionView } from "./console-api.ts";
import { ConsoleEventStreams } from "./console-events.ts";
import { type Assistants, ConsoleFeed, NO_ASSISTANTS } from "./console-feed.ts";
import { ConsoleReads } from "./console-reads.ts";
import { ofFault, queryOf, refused, sendFailure, sessionOf, type Take, taking } from "./console-request.ts";
import type { Reads, Streams } from "./console-routes.ts";
import type { ConsoleSession, ConsoleSessions, StoredSessions } from "./console-session.ts";
import { EventBoard } from "./event-board.ts";
import type { IdentitySettings } from "./identity-sign-in.ts";
import type { ConsolePasskeys, ConsolePin } from "./person-proof.ts";
import { SharedReads } from "./shared-reads.ts";
import { RunningWrites, writeRoutes } from "./write-routes.ts";

export interface ConsoleSettings {
  readonly desk: Desk;
  readonly version: string;
  readonly words: Words;
  readonly pin: ConsolePin;
  /** Keeps those of all processes; without it who is signed in is so until this one ends. */
  readonly stored?: StoredSessions;
  /** The whole command line that sets the PIN. */
  readonly pinCommand: string;
  /** Computes the chain of the audit log again. */
  readonly checkChain: CheckChain;
  readonly exchangeUrl: () => Promise<string>;
  /** Who is connected. */
  readonly assistants?: Assistants & AssistantWatch;
  readonly passkeys?: ConsolePasskeys;
  /** Lets people sign in who have no link. */
  readonly signIn?: SignInSettings;
}

export interface SignInSettings extends Omit<IdentitySettings, "redirectUri"> {
  /** Names the server as browsers know it. */
  readonly origin: string;
}

export interface ConsoleParts extends ConsoleSettings {
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
  /** Tells where assistants connect, given where the page was asked for. */
  readonly mcpUrl: (url: string) => string;
  readonly inFlight: InFlight<unknown>;
  /** Told of what halts or cancels. @param ended resolves when it has ended */
  readonly onUrgent: (ended: Promise<void>) => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds that only rise. */
  readonly now: () => number;
}

const symbol = z.string().min(1).max(40);
const cursor = z.string().min(1).max(1_000);
const name = z.string().min(1).max(200);
const count = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, "is not a number from 1 to 500")
  .transform(Number)
  .pipe(z.int().max(500));
const oneOfTwo = { error: "send order_id or userref" } as const;
const orderName = z
  .strictObject({ order_id: name.optional(), userref: name.optional() })
  .refine(({ order_id, userref }) => (order_id === undefined) !== (userref === undefined), oneOfTwo);
const ordersPage = z.union([
  z.strictObject({ state: z.literal("open") }),
  z.strictObject({ state: z.literal("closed"), cursor: cursor.optional() }),
]);

const plansPage = z.strictObject({
  which: z.enum(["open", "ended", "all"]).default("open"),
  cursor: cursor.optional(),
});

/** Its paths are below `/console/`. */
export interface ConsoleEndpoint extends Endpoint {
  /** Resolves when nothing runs that a person has begun. */
  idle(): Promise<void>;
}

export function consoleEndpoint(parts: ConsoleParts): ConsoleEndpoint {
  const { desk, words, sessions, passkeys, pin, inFlight, onError, now } = parts;
  const chain = new ChainCheck({ check: parts.checkChain, now: () => Date.now(), onError });
  const shared = new SharedReads(now);
  const reads = new ConsoleReads({ desk, words, shared, chain });
  const board = new EventBoard();
  const feed = new ConsoleFeed({
    ...{ desk, reads, board, assistants: parts.assistants, onError },
    persons: async () => [await pin.isSet(), await passkeys?.list()],
    onPost: () => streams.wake(),
    onLook: () => sessions.sweep(),
  });
  const streams = new ConsoleEventStreams({ board, feed, sessions });
  const writes = new RunningWrites(inFlight, () => shared.forget());
  const looks = { ...readRoutes(parts, reads), ...eventRoutes(parts, streams) };
  return {
    routes: together(looks, writeRoutes(parts, writes)),
    idle: () => writes.idle(),
    close: async () => streams.close(),
  };
}

/** A path may be looked at and acted by. */
function together(looks: Routes, acts: Routes): Routes {
  const paths = new Set([...Object.keys(looks), ...Object.keys(acts)]);
  return Object.fromEntries([...paths].map((path) => [path, { ...looks[path], ...acts[path] }]));
}

type Look<Answer> = (request: IncomingMessage, session: ConsoleSession) => Promise<Result<Answer>>;
/** Which view each path shows. */
function readRoutes(parts: ConsoleParts, reads: ConsoleReads): Routes {
  const nothing = z.strictObject({});
  const looks: { readonly [Path in keyof Reads]: Take<Reads[Path]["asked"], Look<Reads[Path]["answer"]>> } = {
    session: taking(nothing, (_, request, session) => sessionView(parts, reads, request, session)),
    markets: taking(nothing, () => reads.markets()),
    status: taking(nothing, () => reads.status()),
    approvals: taking(nothing, () => reads.approvals()),
    policy: taking(nothing, () => reads.policy()),
    assistants: taking(nothing, async () => ok(parts.assistants?.view() ?? NO_ASSISTANTS)),
    book: taking(z.strictObject({ symbol }), ({ symbol: market }) => reads.book(market)),
    trades: taking(z.strictObject({ symbol }), ({ symbol: market }) => reads.trades(market)),
    candles: taking(z.strictObject({ symbol, interval: candleInterval }), (query) =>
      reads.candles(query.symbol, query.interval),
    ),
    portfolio: taking(z.strictObject({ period: z.enum(PORTFOLIO_PERIODS).default("all") }), ({ period }) =>
      reads.portfolio(period),
    ),
    orders: taking(ordersPage, (page) =>
      page.state === "open" ? reads.openOrders() : reads.closedOrders(page.cursor),
    ),
    order: taking(orderName, ({ order_id, userref }) => reads.order(defined({ orderId: order_id, userref }))),
    plans: taking(plansPage, (page) => reads.plans(defined(page))),
    plan: taking(z.strictObject({ plan_id: name }), ({ plan_id }) => reads.plan(plan_id)),
    fills: taking(z.strictObject({ symbol: symbol.optional(), cursor: cursor.optional() }), (page) =>
      reads.fills(defined(page)),
    ),
    audit: taking(
      z.strictObject({ limit: count.optional(), order_id: name.optional(), userref: name.optional() }),
      ({ limit, order_id, userref }) => reads.audit(defined({ limit, orderId: order_id, userref })),
    ),
    "since-copy": taking(nothing, () => reads.sinceCopy()),
  };
  return Object.fromEntries(Object.entries(looks).map(([path, take]) => [path, { GET: reading(parts, take) }]));
}

function reading(parts: ConsoleParts, take: Take<never, Look<object>>): Handler {
  return async (request, response) => {
    const session = sessionOf(request, response, parts);
    if (session === undefined) return;
    request.resume();
    const look = take(queryOf(request) as never);
    if ("problem" in look) return sendFailure(response, refused(400, "bad_request", look.problem));
    const view = await look.act(request, session);
    if (view.ok) sendJson(response, 200, view.value);
    else sendFailure(response, ofFault(view.fault, parts.words));
  };
}

async function sessionView(
  parts: ConsoleParts,
  reads: ConsoleReads,
  request: IncomingMessage,
  { csrf }: ConsoleSession,
): Promise<Result<SessionView>> {
  const { desk, words, version, pin, passkeys, peers, mcpUrl, exchangeUrl } = parts;
  const url = peers.urlOf(request);
  const [policy, known] = await Promise.all([reads.policy(), passkeys?.list()]);
  const approveBy = policy.ok ? policy.value.approve_by : [];
  return ok({
    csrf,
    version,
    locale: words.locale,
    timezone: words.timeZone,
    environment: desk.environment,
    is_practice: desk.isPractice(),
    profile: desk.profile,
    exchange: { name: desk.card.name, title: desk.card.title },
    // The status names it as soon as the exchange has; what would ask for it here waits for the key's turn.
    account: desk.stamp().account,
    unit: desk.unit,
    approve_by: (["client", "passkey", "pin"] as const).filter((way) => approveBy.includes(way)),
    pin_set: await pin.isSet().catch(() => null),
    passkeys: known?.ok === true ? known.value : [],
    passkey_origin: passkeys?.originAt(peers.originOf(request)) ?? null,
    mcp_url: mcpUrl(url),
    exchange_url: await exchangeUrl(),
  });
}

function eventRoutes(parts: ConsoleParts, streams: ConsoleEventStreams): Routes {
  const take: Take<Streams["events"], () => string | undefined> = taking(
    z.strictObject({ symbol: symbol.optional() }),
    (asked) => asked.symbol,
  );
  const GET: Handler = async (request, response) => {
    const session = sessionOf(request, response, parts);
    if (session === undefined) return;
    request.resume();
    const asked = take(queryOf(request));
    if ("problem" in asked) return sendFailure(response, refused(400, "bad_request", asked.problem));
    const typed = asked.act();
    const market = typed === undefined ? ok(undefined) : await parts.desk.market(typed);
    if (!market.ok) return sendFailure(response, ofFault(market.fault, parts.words));
    const lastEventId = request.headers["last-event-id"];
    const from = {
      symbol: market.value?.symbol,
      lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
    };
    if (response.closed || session.ended.aborted) return;
    if (!streams.open(response, session, from))
      sendFailure(response, refused(429, "too_many", "Too many windows listen: close one."));
  };
  return { events: { GET } } satisfies Readonly<Record<keyof Streams, object>>;
}
