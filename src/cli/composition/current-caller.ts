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

const calls = new AsyncLocalStorage<{ readonly caller: string; isOver: boolean }>();
let running = 0;

/** @param isLook whether nothing of a call of this tool can be written in the log */
export function byCaller(also: AroundCall, isLook: (tool: string) => boolean): AroundCall {
  return (tool, call, origin) => {
    const { name: caller } = origin.caller ?? {};
    if (caller === undefined || isLook(tool)) return also(tool, call, origin);
    const current = { caller, isOver: false };
    running += 1;
    return calls
      .run(current, () => also(tool, call, origin))
      .finally(() => {
        current.isOver = true;
        running -= 1;
        // While Node carries it along, every promise of the process takes longer.
        if (running === 0) calls.disable();
      });
  };
}

export function callerNow(): string | undefined {
  const call = calls.getStore();
  return call?.isOver === false ? call.caller : undefined;
}
