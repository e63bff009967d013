/**
 * Owns the spans of OpenTelemetry: what a request did, from the call of a tool through the steps of the desk and the journal to the requests to
 * the exchange, in one trace with whatever its caller is doing.
 *
 * Invariants:
 * - A span holds names, numbers, ids of ours and words of closed sets, and they pass the scrubber besides; no amount, no argument, no text of
 *   a caller or the venue.
 * - What is traced happens as if it was not: its answer and its errors pass unchanged, and no span is waited for.
 * - What no call asked for has no span: maintenance, the stream, and what goes on after a call has ended.
 * - A request to the venue carries nothing of it.
 *
 * Source: decision 0042; operate.md#spans.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { scrubber } from "../config/index.ts";
import { defined, ENDPOINTS, TRADING_OPERATIONS, TRANSFER_ENDPOINTS, tradingPath } from "../contract/index.ts";
import type { Desk } from "../desk/index.ts";
import type { AroundCall, ToolAnswer } from "../mcp/index.ts";
import type { BegunRequest, HttpObserver } from "../serve/index.ts";
import type { ClientEvent } from "../transport/index.ts";
import { intentOfCall, outcomeOfCall } from "./call-outcome.ts";
import { type CollectorSettings, exportTo } from "./span-export.ts";

/** Lists where callers post messages of MCP. Who looks at health and figures every second has no part in a trace. */
const TRACED: readonly string[] = ["/mcp", "/messages"];

export class Spans {
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #requests = new WeakMap<BegunRequest, Span>();
  readonly close: () => Promise<void>;

  constructor(settings: CollectorSettings) {
    const { tracer, close } = exportTo(settings);
    this.#tracer = tracer;
    this.close = close;
  }

  /** @param also whoever watches besides */
  http(also: HttpObserver): HttpObserver {
    return {
      ...also,
      around: (begun, serve) => {
        const { id, method, path, traceparent } = begun;
        if (method !== "POST" || !TRACED.includes(path)) return also.around(begun, serve);
        const attributes = { "http.request.method": method, "http.route": path, "hoga.request_id": id };
        const span = this.#begin(`${method} ${path}`, { kind: SpanKind.SERVER, attributes }, contextOf(traceparent));
        this.#requests.set(begun, span);
        this.#current.run(span, () => also.around(begun, serve));
      },
      ended: (ended, begun) => {
        const span = this.#requests.get(begun);
        const { status, tenant } = ended;
        span?.setAttributes(scrubber.value({ "http.response.status_code": status, ...ofTenant({ tenant }) }));
        if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
        span?.end();
        also.ended(ended, begun);
      },
    };
  }

  /** @param whose the tenant whose calls they are; of the operator nothing is said */
  around(also: AroundCall, whose: Whose = {}): AroundCall {
    return (tool, call, origin) => {
      const { context, links } = this.#parentOf(origin.traceparent);
      const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool, ...ofTenant(whose) };
      const span = this.#begin(`tools/call ${tool}`, { kind: SpanKind.SERVER, attributes, links }, context);
      return this.#within(span, () => also(tool, call, origin), endOfCall);
    };
  }

  desk(desk: Desk): Desk {
    const { transfers, plans } = desk;
    const ports = {
      transfers: transfers && this.port("transfers", transfers),
      plans: plans && this.port("plans", plans),
    };
    return this.port("desk", { ...desk, ...defined(ports) });
  }

  /** A span for each call of it. */
  port<Port extends object>(name: string, port: Port): Port {
    const get = (_: Port, member: string | symbol): unknown => {
      const value: unknown = Reflect.get(port, member);
      if (typeof member === "symbol" || typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(value, port, args);
        const context = this.#here();
        return context === undefined
          ? call()
          : this.#within(this.#begin(`${name} ${member}`, {}, context), call, endOfStep);
      };
    };
    return new Proxy(port, { get });
  }

  /** A turn in the lane and a request are told of when they have ended. */
  client(also: (event: ClientEvent) => void, whose: Whose = {}): (event: ClientEvent) => void {
    return (event) => {
      if (event.type === "lane_entered") this.#past("lane", {}, event.waitedMs);
      if (event.type === "request_ended") {
        const { endpoint, attempt, elapsedMs, status, reachedVenue } = event;
        const { method, path } = templateOf(endpoint);
        const attributes = {
          "http.request.method": method,
          "url.template": path,
          "http.request.resend_count": attempt - 1,
          "hoga.endpoint": endpoint,
          "hoga.reached": reachedVenue,
          ...ofTenant(whose),
          ...defined({ "http.response.status_code": status }),
        };
        this.#past(`${method} ${path}`, { kind: SpanKind.CLIENT, attributes }, elapsedMs, event.code !== undefined);
      }
      also(event);
    };
  }

  /** Records what has just ended. */
  #past(name: string, options: SpanOptions, elapsedMs: number, failed = false): void {
    const context = this.#here();
    if (context === undefined) return;
    const endedAtMs = Date.now();
    const span = this.#begin(name, { ...options, startTime: endedAtMs - elapsedMs }, context);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAtMs);
  }

  #begin(name: string, { attributes = {}, ...options }: SpanOptions, context: Context): Span {
    return this.#tracer.startSpan(name, { ...options, attributes: scrubber.value(attributes) }, context);
  }

  /** @param endOf what is said of the answer: what is kept of it, and whether it failed */
  #within<Answer>(span: Span, call: () => Answer, endOf: (answer: Awaited<Answer>) => End): Answer {
    const end = ({ attributes, failed }: End): void => {
      span.setAttributes(scrubber.value(attributes));
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
    const broken = (): void => end({ attributes: {}, failed: true });
    let answer: Answer;
    try {
      answer = this.#current.run(span, call);
    } catch (error) {
      broken();
      throw error;
    }
    if (answer instanceof Promise) answer.then((value: Awaited<Answer>) => end(endOf(value)), broken);
    else end(endOf(answer as Awaited<Answer>));
    return answer;
  }

  /** Undefined outside of a call, and where the call has ended: what goes on is not its any more. */
  #here(): Context | undefined {
    const span = this.#current.getStore();
    return span?.isRecording() === true ? trace.setSpan(ROOT_CONTEXT, span) : undefined;
  }

  /**
   * The HTTP request lies between a caller that names its trace twice and the call. Where the message names another trace than the request,
   * as a proxy's, the call is the message's, and is linked with the request.
   */
  #parentOf(traceparent: string | undefined): { readonly context: Context; readonly links: Link[] } {
    const request = this.#current.getStore();
    const around = request === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, request);
    const named = traceparent === undefined ? undefined : contextOf(traceparent);
    const traceId = named && trace.getSpanContext(named)?.traceId;
    const [between, own] = [request?.spanContext(), named];
    if (own === undefined || traceId === undefined || between?.traceId === traceId)
      return { context: around, links: [] };
    return { context: own, links: between === undefined ? [] : [{ context: between }] };
  }
}

interface Whose {
  readonly tenant?: string | undefined;
}

function ofTenant({ tenant }: Whose): Attributes {
  return defined({ "hoga.tenant": tenant });
}

/** The span of a caller elsewhere; what is not well-formed names none. */
function contextOf(traceparent: string | undefined): Context {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
}

interface End {
  readonly attributes: Attributes;
  readonly failed: boolean;
}

function endOfCall(answer: ToolAnswer): End {
  const outcome = outcomeOfCall(answer);
  const attributes = { "hoga.outcome": outcome, ...defined({ "hoga.intent_id": intentOfCall(answer) }) };
  return { attributes, failed: outcome === "error" };
}

const WRITE_KEYS = {
  outcome: "hoga.outcome",
  state: "hoga.state",
  intent_id: "hoga.intent_id",
  transfer_id: "hoga.transfer_id",
} as const;

/** Reads of a report its outcome, its state and the id of what it is about, which are ours; of a result whether it is one. */
function endOfStep(answer: unknown): End {
  const said = (typeof answer === "object" && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>;
  const kept = Object.entries(WRITE_KEYS).flatMap(([key, name]) =>
    typeof said[key] === "string" ? [[name, said[key]]] : [],
  );
  return { attributes: Object.fromEntries(kept) as Attributes, failed: said["ok"] === false };
}

function templateOf(endpoint: string): { readonly method: string; readonly path: string } {
  if (endpoint in ENDPOINTS) return ENDPOINTS[endpoint as keyof typeof ENDPOINTS];
  if (endpoint in TRANSFER_ENDPOINTS) return TRANSFER_ENDPOINTS[endpoint as keyof typeof TRANSFER_ENDPOINTS];
  // Of another exchange: its name says which call it is.
  if (!(endpoint in TRADING_OPERATIONS)) return { method: "_OTHER", path: endpoint };
  const operation = endpoint as keyof typeof TRADING_OPERATIONS;
  return { method: TRADING_OPERATIONS[operation].auth === "none" ? "GET" : "POST", path: tradingPath(operation) };
}
