/**
 * Owns the log of a server over HTTP: a line of JSON for every request, every call of a tool that one brought, and, for whoever debugs, every
 * request to the exchange. Lines of one request have its id in common.
 *
 * Invariants: a line holds names, numbers, ids of ours and words of closed sets; no argument, no text of a caller or the venue, no token, no
 * key, no query; it leaves through the sink that it is given, which hides secrets besides.
 *
 * Source: decision 0039; operate.md#log.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { pino } from "pino";
import { defined } from "../contract/index.ts";
import type { AroundCall } from "../mcp/index.ts";
import type { HttpObserver } from "../serve/index.ts";
import type { ClientEvent } from "../transport/index.ts";
import { intentOfCall, outcomeOfCall } from "./call-outcome.ts";

export interface LogSettings {
  readonly level: string;
  /** The profile: its name stands on every line. */
  readonly account: string;
  /** Takes one line, with its end. */
  readonly write: (line: string) => void;
}

const DROPPED_EVERY_MS = 1_000;

export class RequestLog {
  readonly #pino: ReturnType<typeof pino>;
  readonly #current = new AsyncLocalStorage<{ readonly request_id: string; readonly session?: string }>();
  /** Connections that gave way or were refused since the last line about them. */
  #dropped = 0;
  #droppedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ level, account, write }: LogSettings) {
    const formatters = { level: (label: string) => ({ level: label }) };
    this.#pino = pino({ level, base: { account }, timestamp: pino.stdTimeFunctions.isoTime, formatters }, { write });
  }

  /** A flood is a line a second. */
  #noteDropped(): void {
    this.#dropped += 1;
    const nowMs = performance.now();
    if (nowMs - this.#droppedAtMs < DROPPED_EVERY_MS) return;
    this.#pino.warn({ connections: this.#dropped }, "dropped");
    [this.#dropped, this.#droppedAtMs] = [0, nowMs];
  }

  /** @param also whoever watches besides */
  http(also: HttpObserver): HttpObserver {
    return {
      ...also,
      around: (begun, serve) => {
        const { id: request_id, session } = begun;
        this.#current.run({ request_id, ...defined({ session }) }, () => also.around(begun, serve));
      },
      ended: (ended, begun) => {
        const { id: request_id, session, tenant, method, path, status, ms } = ended;
        const level = status >= 500 ? "error" : "info";
        this.#pino[level]({ request_id, ...defined({ session, tenant }), method, path, status, ms }, "request");
        also.ended(ended, begun);
      },
      dropped: () => {
        this.#noteDropped();
        also.dropped();
      },
    };
  }

  /** @param whose the tenant whose calls they are; of the operator's nothing is said */
  around(also: AroundCall, whose: { readonly tenant?: string } = {}): AroundCall {
    return async (tool, call, origin) => {
      const startedAtMs = performance.now();
      const answer = await also(tool, call, origin);
      const ms = Math.round(performance.now() - startedAtMs);
      const intent_id = intentOfCall(answer);
      this.#pino.info(
        { ...this.#current.getStore(), ...whose, tool, outcome: outcomeOfCall(answer), ...defined({ intent_id }), ms },
        "call",
      );
      return answer;
    };
  }

  client(also: (event: ClientEvent) => void, whose: { readonly tenant?: string } = {}): (event: ClientEvent) => void {
    return (event) => {
      if (event.type === "request_ended") {
        const { endpoint, attempt, elapsedMs: ms, status, reachedVenue: reached } = event;
        this.#pino.debug(
          { ...this.#current.getStore(), ...whose, endpoint, attempt, ...defined({ status }), reached, ms },
          "exchange",
        );
      }
      also(event);
    };
  }
}
