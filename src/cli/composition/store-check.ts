/**
 * Owns that a server looks at what it has opened: the file as a whole, and the newest rows of its log, beside all else. What is damaged halts.
 *
 * Invariant: what cannot be looked at now is no damage; one that a person has accepted, by resuming, is not found again.
 *
 * Source: decision 0068.
 */
import type { Home } from "../../config/index.ts";
import { haltHome, problemOf } from "./home-kill-switch.ts";
import type { DeskStore } from "./home-store.ts";

export interface CheckParts {
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onTrouble: (message: string) => void;
}

/** Bounds the rows to what a start has time for: a log that was cut or changed by somebody was so at its end. */
const TAIL_ROWS = 1_000;

export async function checkStore(home: Home, store: DeskStore, { signal, now, onTrouble }: CheckParts): Promise<void> {
  const what = await damageOf(store, signal);
  if (what === undefined || signal.aborted) return;
  const fix =
    "hoga store check and hoga audit verify say more. Put a backup back, or compare with the exchange before anybody resumes.";
  const record = { reason: `The store is damaged: ${what} ${fix}`, by: "hoga", atMs: now() };
  await haltHome(home, record, store.killSwitch);
  await problemOf(
    async () => void (await store.audit.append({ event: "damaged", account: "", detail: { what } }, now())),
  );
  onTrouble(`Trading is halted. ${record.reason}`);
}

async function damageOf(store: DeskStore, signal: AbortSignal): Promise<string | undefined> {
  try {
    await store.checkBeside(signal);
    const tail = await store.audit.verifyTail(TAIL_ROWS);
    return tail.ok ? undefined : `the end of its log is not whole, at row ${tail.seq}.`;
  } catch (error) {
    if (signal.aborted) return undefined;
    const { code } = error as { readonly code?: unknown };
    if (code === "damaged") return "it cannot be read through.";
    // A server that is away or a disk that fails: whoever trades is told.
    if (typeof code === "string") return undefined;
    throw error;
  }
}
