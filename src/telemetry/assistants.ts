/**
 * Owns who is connected over HTTP, and what was called last, for a person at the console.
 *
 * Invariants: what is kept is bounded; of a call its tool's name, its end and how long it took, no argument and no result; what a client calls
 * itself is data.
 *
 * Source: decision 0044.
 */
import type { AroundCall } from "../mcp/index.ts";
import type { AssistantSeat, Assistants as AssistantsView, AssistantWatch } from "../serve/index.ts";
import { outcomeOfCall } from "./call-outcome.ts";

type View = ReturnType<AssistantsView["view"]>;

const CALLS_KEPT = 50;
const CONNECTED_MAX = 256;
/** A client without a session is taken to be connected for so long after it has asked for something. */
const PASSING_MS = 5 * 60_000;

interface Known {
  client: string;
  readonly caller: string;
  readonly sinceMs: number;
  lastCallAtMs: number | undefined;
  /** Says until when it counts without a session. */
  untilMs: number;
  open: number;
}

export class Assistants implements AssistantsView, AssistantWatch {
  readonly #now: () => number;
  readonly #seats = new WeakMap<object, Known>();
  readonly #sessions = new Set<Known>();
  readonly #passing = new Map<string, Known>();
  readonly #calls: View["calls"][number][] = [];
  readonly #listeners = new Set<() => void>();

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  join(caller: string): AssistantSeat {
    const known = this.#known(caller, "");
    this.#sessions.add(known);
    this.#tell();
    return this.#seat(known, () => this.#sessions.delete(known));
  }

  pass(
    { key, name }: { readonly key: string; readonly name: string },
    client: string,
    ended: Promise<void>,
  ): AssistantSeat {
    const place = JSON.stringify([key, client]);
    const known = this.#passing.get(place) ?? this.#known(name, client);
    // The one that was seen last is the last.
    this.#passing.delete(place);
    this.#passing.set(place, known);
    for (const oldest of [...this.#passing.keys()].slice(0, -CONNECTED_MAX)) this.#passing.delete(oldest);
    known.open += 1;
    known.untilMs = this.#now() + PASSING_MS;
    void ended.then(() => {
      known.open -= 1;
      known.untilMs = this.#now() + PASSING_MS;
    });
    this.#tell();
    return this.#seat(known, () => this.#passing.delete(place));
  }

  around(also: AroundCall): AroundCall {
    return async (tool, call, origin) => {
      const { client } = origin.caller ?? {};
      const known = client === undefined ? undefined : this.#seats.get(client);
      const atMs = this.#now();
      const startedMs = performance.now();
      const answer = await also(tool, call, origin);
      if (known !== undefined) known.lastCallAtMs = atMs;
      this.#calls.unshift({
        at: new Date(atMs).toISOString(),
        caller: known?.caller ?? "",
        client: known === undefined || known.client === "" ? null : known.client,
        tool,
        outcome: outcomeOfCall(answer),
        ms: Math.round(performance.now() - startedMs),
      });
      this.#calls.length = Math.min(this.#calls.length, CALLS_KEPT);
      this.#tell();
      return answer;
    };
  }

  view(): View {
    const nowMs = this.#now();
    for (const [place, { open, untilMs }] of this.#passing)
      if (open === 0 && untilMs <= nowMs) this.#passing.delete(place);
    const connected = [...this.#sessions, ...this.#passing.values()]
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .map(({ client, caller, sinceMs, lastCallAtMs }) => ({
        client,
        caller,
        since: new Date(sinceMs).toISOString(),
        last_call_at: lastCallAtMs === undefined ? null : new Date(lastCallAtMs).toISOString(),
      }));
    return { connected, calls: [...this.#calls] };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #known(caller: string, client: string): Known {
    const sinceMs = this.#now();
    return { client, caller, sinceMs, lastCallAtMs: undefined, untilMs: sinceMs, open: 0 };
  }

  #seat(known: Known, leave: () => unknown): AssistantSeat {
    const seat: AssistantSeat = {
      named: (client) => {
        known.client = client;
        this.#tell();
      },
      left: () => {
        leave();
        this.#tell();
      },
    };
    this.#seats.set(seat, known);
    return seat;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
