/**
 * What is to go wrong on purpose, for which requests, how often. Entry point: `FaultPlan`.
 *
 * Invariants: of several that fit, the oldest befalls a request, and one only; one that has happened as often as it was asked for
 * is gone; all of them end with the process.
 */
import type { Family, Reply, RequestHead } from "../http/family.ts";
import type { FaultInjector, InjectedFault } from "../http/fault-injection.ts";
import { unavailable } from "../http/outcome.ts";

/**
 * `latency`: taken up late. `error`: answered with a 5xx status, without effect unless `applied`. `drop`: takes effect, and the
 * connection ends without an answer. `garble`: takes effect, and half of the answer's body arrives.
 */
export type FaultKind = "latency" | "error" | "drop" | "garble";

export interface FaultTerms {
  readonly kind: FaultKind;
  /** Any, when null. */
  readonly method: string | null;
  /** Without query; `*` stands for any characters. */
  readonly path: string;
  /** How many requests. */
  readonly count: number;
  readonly latencyMs: number;
  readonly status: number;
  readonly applied: boolean;
}

export interface PlannedFault extends FaultTerms {
  readonly id: number;
  /** How many more it will befall. */
  readonly left: number;
}

const PLANNED_MAX = 100;

export class FaultPlan implements FaultInjector {
  #planned: PlannedFault[] = [];
  #next = 1;

  /** @returns undefined when there are too many. */
  add(terms: FaultTerms): PlannedFault | undefined {
    if (this.#planned.length >= PLANNED_MAX) return undefined;
    const planned = { ...terms, id: this.#next++, left: terms.count };
    this.#planned.push(planned);
    return planned;
  }

  list(): readonly PlannedFault[] {
    return this.#planned;
  }

  /** @returns false when there is none with this id. */
  remove(id: number): boolean {
    const before = this.#planned.length;
    this.#planned = this.#planned.filter((planned) => planned.id !== id);
    return this.#planned.length < before;
  }

  clear(): void {
    this.#planned = [];
  }

  take(head: RequestHead): InjectedFault | undefined {
    const found = this.#planned.find(
      ({ method, path }) => (method ?? head.method) === head.method && fits(path, head.path),
    );
    if (found === undefined) return undefined;
    this.#planned = this.#planned.flatMap((planned) => {
      if (planned !== found) return [planned];
      return planned.left > 1 ? [{ ...planned, left: planned.left - 1 }] : [];
    });
    return mishapOf(found);
  }
}

/** Part by part, as an expression made of a pattern could take for ever. */
function fits(pattern: string, path: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first) || !path.endsWith(last) || path.length < first.length + last.length) return false;
  let at = first.length;
  const end = path.length - last.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function mishapOf({ kind, latencyMs, status, applied }: PlannedFault): InjectedFault {
  const failed = (family: Family): Reply => ({ ...family.refuse(unavailable(503)), status });
  const nothing = { delayMs: 0, instead: () => undefined, altered: (reply: Reply) => reply };
  switch (kind) {
    case "latency":
      return { ...nothing, delayMs: latencyMs };
    case "drop":
      return { ...nothing, altered: () => undefined };
    case "garble":
      return { ...nothing, altered: garbled };
    case "error":
      return applied ? { ...nothing, altered: (_, family) => failed(family) } : { ...nothing, instead: failed };
    default:
      return kind satisfies never;
  }
}

/** The first half, with a length that fits it: cut by somebody on the way who is an honest HTTP speaker otherwise. */
function garbled({ status, headers, text }: Reply): Reply {
  const half = text.slice(0, Math.floor(text.length / 2));
  const length = headers.findIndex((name, index) => index % 2 === 0 && /^content-length$/i.test(name));
  const shown = length < 0 ? headers : headers.with(length + 1, String(Buffer.byteLength(half)));
  return { status, headers: shown, text: half };
}
