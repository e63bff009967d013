/**
 * Owns by whose call over HTTP something is written in the log.
 *
 * Invariants: a name counts from the beginning of a call to its answer, whether its connection lasts or not; what goes on afterwards, is done in the
 * background or comes over stdio has none.
 *
 * Source: decision 0051.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { AroundCall } from "../../mcp/index.ts";

const requests = new AsyncLocalStorage<string>();
const calls = new AsyncLocalStorage<{ readonly caller: string; isOver: boolean }>();

/** Whatever a request brings is this caller's. */
export function asCaller<T>(name: string, work: () => T): T {
  return requests.run(name, work);
}

export function byCaller(also: AroundCall): AroundCall {
  return (...given) => {
    const caller = requests.getStore();
    if (caller === undefined) return also(...given);
    const call = { caller, isOver: false };
    return calls
      .run(call, () => also(...given))
      .finally(() => {
        call.isOver = true;
      });
  };
}

export function callerNow(): string | undefined {
  const call = calls.getStore();
  return call?.isOver === false ? call.caller : undefined;
}
