/**
 * Owns the figures that a monitoring system collects: what this process has done, counted as it happens, and how things stand, read when it
 * asks.
 *
 * Invariants: every label is one of a few words of ours or of the settings, or one of at most fifty tenants' names, never an id, a symbol or a text of a caller or the venue; what is
 * not known has no figure, rather than a zero; no call to the venue leaves for a figure; a figure that is wrong harms no order.
 *
 * Source: decision 0039; operate.md#metrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Desk, WriteReport } from "../desk/index.ts";
import type { AroundCall } from "../mcp/index.ts";
import type { HttpObserver, MetricsText } from "../serve/index.ts";
import type { ClientEvent, StreamNotice, StreamState } from "../transport/index.ts";
import { endOfOrder, outcomeOfCall } from "./call-outcome.ts";

export interface MetricsSettings {
  /** The profile: its name stands on every figure. */
  readonly account: string;
  readonly environment: "sandbox" | "live";
  readonly version: string;
}

const CALL_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LANE_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30];
const STREAM_STATES: readonly StreamState[] = ["connecting", "syncing", "live", "stale", "closed"];

/** Why a request was refused, by the status that says so. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, "bad_request"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not_found"],
  [405, "method"],
  [408, "body_late"],
  [413, "body_too_large"],
  [415, "media_type"],
  [429, "too_many"],
  [503, "unavailable"],
]);

/** Tenants with figures of their own; those that come later are one, "other". */
const TENANTS_MAX = 50;

/** Counts for one desk: the operator's, or a tenant's. */
export interface DeskFigures {
  readonly around: AroundCall;
  readonly order: (report: WriteReport) => void;
  readonly client: (event: ClientEvent) => void;
  readonly stream: (notice: StreamNotice) => void;
}

/** Labels a tenant's; of the operator's there is no such label. */
interface Whose {
  readonly tenant?: string;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #figures: ReturnType<typeof figuresIn>;
  readonly #tenants = new Set<string>();
  /** The operator's. */
  readonly own: DeskFigures;

  constructor({ account, environment, version }: MetricsSettings) {
    this.#registry.setDefaultLabels({ account });
    collectDefaultMetrics({ register: this.#registry });
    this.#figures = figuresIn(this.#registry);
    this.#figures.build.set({ version, environment }, 1);
    this.own = this.#deskFigures({});
  }

  /** Gives those of a tenant. */
  of(tenant: string): DeskFigures {
    return this.#deskFigures({ tenant: this.#labelOf(tenant) });
  }

  #labelOf(tenant: string): string {
    if (this.#tenants.size < TENANTS_MAX) this.#tenants.add(tenant);
    return this.#tenants.has(tenant) ? tenant : "other";
  }

  /** Lists the names of our own figures, whether they have a value yet or not. */
  get names(): readonly string[] {
    const all = this.#registry.getMetricsAsArray().map(({ name }) => name);
    return all.filter((name) => name.startsWith("hoga_"));
  }

  #deskFigures(whose: Whose): DeskFigures {
    const { calls, callSeconds, orders, streamReconnects } = this.#figures;
    const { venueRequests, venueSeconds, laneSeconds } = this.#figures;
    if (whose.tenant !== "other") this.#streamIs("closed", whose);
    return {
      around: async (tool, call) => {
        const ended = callSeconds.startTimer({ tool });
        const answer = await call();
        ended();
        calls.inc({ tool, outcome: outcomeOfCall(answer), ...whose });
        return answer;
      },
      order: (report) => orders.inc({ ...endOfOrder(report), ...whose }),
      client: (event) => {
        if (event.type === "lane_entered") laneSeconds.observe(event.waitedMs / 1_000);
        if (event.type !== "request_ended") return;
        const { endpoint, code, reachedVenue, elapsedMs } = event;
        venueRequests.inc({ endpoint, outcome: code === undefined ? "ok" : OF_REQUEST[reachedVenue], ...whose });
        venueSeconds.observe(elapsedMs / 1_000);
      },
      stream: (notice) => {
        // The states of several are no state.
        if (notice.type === "state" && whose.tenant !== "other") this.#streamIs(notice.state, whose);
        if (notice.type === "dropped") streamReconnects.inc({ ...whose });
      },
    };
  }

  readonly http: HttpObserver = {
    around: (_, serve) => serve(),
    ended: ({ method, path, status }) => {
      const { httpRequests, httpRefused } = this.#figures;
      httpRequests.inc({ method, path, status: String(status) });
      const reason = REFUSALS.get(status);
      if (reason !== undefined) httpRefused.inc({ reason });
    },
    dropped: () => this.#figures.httpRefused.inc({ reason: "connections" }),
    sessionEnded: (reason) => this.#figures.sessionsEnded.inc({ reason }),
  };

  /** @param tenants those that are open, by name */
  text(desk: Desk, tenants: () => ReadonlyMap<string, Desk> = () => new Map()): MetricsText {
    return async ({ connections, sessions, inFlight }) => {
      const { httpConnections, httpSessions, httpInFlight } = this.#figures;
      httpConnections.set(connections);
      httpSessions.set(sessions);
      httpInFlight.set(inFlight);
      const theirs = [...tenants()].filter(([tenant]) => this.#labelOf(tenant) === tenant);
      const all = [[{}, desk] as const, ...theirs.map(([tenant, each]) => [{ tenant }, each] as const)];
      const read = await Promise.all(all.map(async ([whose, each]) => [whose, await each.standing()] as const));
      this.#show(read);
      return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
    };
  }

  /** Shows what is known; what is not any more goes. */
  #show(read: readonly (readonly [Whose, Awaited<ReturnType<Desk["standing"]>>])[]): void {
    const { storeReadable, halted, intentsUnknown, approvalsWaiting, budgetUsed, budgetLimit } = this.#figures;
    const { clockOffset } = this.#figures;
    const standing = [storeReadable, halted, intentsUnknown, approvalsWaiting, clockOffset];
    for (const gauge of [...standing, budgetUsed, budgetLimit]) gauge.reset();
    for (const [whose, found] of read) {
      storeReadable.set({ ...whose }, found.ok ? 1 : 0);
      const known = found.ok ? found.value : undefined;
      setIfKnown(halted, whose, known && (known.halted ? 1 : 0));
      setIfKnown(intentsUnknown, whose, known?.ofAccount?.unresolved);
      setIfKnown(approvalsWaiting, whose, known?.ofAccount?.waiting);
      setIfKnown(clockOffset, whose, inSeconds(known?.clockOffsetMs));
      for (const { rule, limit, used } of known?.ofAccount?.limits ?? []) {
        budgetLimit.set({ rule, ...whose }, Number(limit)); // not money: a graph's figure
        // Of a single order's size nothing is used up.
        if (used !== null && rule !== "order_size") budgetUsed.set({ rule, ...whose }, Number(used)); // not money: a graph's figure
      }
    }
  }

  #streamIs(state: StreamState, whose: Whose): void {
    for (const each of STREAM_STATES) this.#figures.streamState.set({ state: each, ...whose }, each === state ? 1 : 0);
  }
}

const OF_REQUEST = { yes: "refused", unknown: "no_answer", no: "not_sent" } as const;

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}

function setIfKnown(gauge: Gauge<"tenant">, whose: Whose, value: number | undefined): void {
  if (value !== undefined) gauge.set({ ...whose }, value);
}

function figuresIn(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `hoga_${name}`, help, labelNames, registers });
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `hoga_${name}`, help, labelNames, registers });
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name: `hoga_${name}`, help, buckets, labelNames, registers });
  return {
    build: gauge("build_info", "Always 1; what runs here.", "version", "environment"),
    calls: counter("tool_calls_total", "Calls of tools that ended.", "tool", "outcome", "tenant"),
    callSeconds: histogram("tool_call_seconds", "How long a call of a tool took.", CALL_SECONDS, "tool"),
    orders: counter("orders_total", "Orders by what became of them at once.", "outcome", "rule", "tenant"),
    intentsUnknown: gauge("intents_unknown", "Orders without an answer now.", "tenant"),
    approvalsWaiting: gauge("approvals_waiting", "Orders that wait for a person now.", "tenant"),
    halted: gauge("trading_halted", "1 while the kill switch is engaged.", "tenant"),
    budgetUsed: gauge("budget_used", "What is used of a limit of the policy.", "rule", "tenant"),
    budgetLimit: gauge("budget_limit", "A limit of the policy.", "rule", "tenant"),
    storeReadable: gauge("store_readable", "Whether the store could be read for this answer.", "tenant"),
    clockOffset: gauge("clock_offset_seconds", "The exchange's clock minus ours.", "tenant"),
    venueRequests: counter("venue_requests_total", "Requests to the exchange.", "endpoint", "outcome", "tenant"),
    venueSeconds: histogram("venue_request_seconds", "How long a request to the exchange took.", CALL_SECONDS),
    laneSeconds: histogram("lane_wait_seconds", "How long a signed call waited for its turn.", LANE_SECONDS),
    streamState: gauge("stream_state", "1 for the state that the stream is in.", "state", "tenant"),
    streamReconnects: counter("stream_reconnects_total", "Connections of the stream that were lost.", "tenant"),
    httpRequests: counter("http_requests_total", "HTTP requests that were answered.", "method", "path", "status"),
    httpRefused: counter("http_refused_total", "HTTP requests and connections that were refused.", "reason"),
    httpInFlight: gauge("http_in_flight", "HTTP requests that are being answered."),
    httpConnections: gauge("http_connections", "Connections that are open."),
    httpSessions: gauge("sessions", "Sessions of clients that are open."),
    sessionsEnded: counter("sessions_ended_total", "Sessions of clients that ended.", "reason"),
  };
}
