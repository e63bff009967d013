/**
 * Opens the store of a data directory: the one that it is known to have. Where that was put back from a copy, or is gone, trading is stopped first.
 *
 * Source: decision 0025, decision 0067.
 */

import { type Home, prepareHome, StoreUrl, scrubber } from "../../config/index.ts";
import { defined, withFirstUse } from "../../contract/index.ts";
import type { IntentBody, IntentState, TransferBody, TransferState } from "../../desk/index.ts";
import type { Store, StoreLocation } from "../../store/index.ts";
import { systemClock } from "../../transport/index.ts";
import { callerNow } from "./current-caller.ts";
import { haltByFile } from "./home-kill-switch.ts";
import { type ExpectedStore, expectedStore, keepMark } from "./home-mark.ts";
import { stopRestored } from "./restored-home.ts";

export type DeskStore = Store<IntentState, IntentBody, TransferState, TransferBody>;

/**
 * @param onTrouble told where it was found to have been put back from a copy
 * @param serves whether the directory is known to have this store from now on; else it is once an order or transfer is recorded
 */
export async function openHomeStore(
  home: Home,
  closers: (() => Promise<void> | void)[],
  onTrouble: (message: string) => void = () => undefined,
  serves = false,
): Promise<DeskStore> {
  const expected = await expectedStore(home);
  prepareHome(home);
  const store = await openExpected(home, expected);
  closers.push(() => store.close());
  for (const warning of store.warnings) onTrouble(warning);
  await stopRestored(home, store, systemClock, onTrouble);
  const keep = (): void => keepMark(home, { ...expected.here, storeId: store.id });
  if (serves || expected.mark !== undefined) keep();
  return expected.mark === undefined && !serves ? marking(store, keep) : store;
}

async function openExpected(home: Home, { mark, only, another }: ExpectedStore): Promise<DeskStore> {
  const { haltPathOf, openStore, StoreError } = await import("../../store/index.ts");
  const server = StoreUrl.of(home.storeUrl());
  const location: StoreLocation =
    server === undefined
      ? { path: home.database }
      : { url: server.reveal(), haltPath: haltPathOf(home.database), ...defined({ tenant: home.tenant?.name }) };
  try {
    return await openStore<IntentState, IntentBody, TransferState, TransferBody>(location, {
      clock: systemClock,
      random: Math.random,
      redact: (text) => scrubber.text(text),
      markDir: home.state,
      caller: callerNow,
      ...{ only, known: mark?.storeId },
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "another_store") throw another();
    // Others may have it open still.
    if (error.code === "damaged")
      await haltByFile(home, { reason: error.message, by: "hoga", atMs: systemClock.now() });
    throw error;
  }
}

/** The store, whose first record of an order or transfer is told: a command that trades is no look. */
function marking(store: DeskStore, keep: () => void): DeskStore {
  // What nobody asks for is not made, so that it is not copied either.
  return withFirstUse<DeskStore, Pick<DeskStore, "journal" | "transfers">>(Object.create(store), {
    journal: () => ({
      ...store.journal,
      record: (...given) => {
        keep();
        return store.journal.record(...given);
      },
    }),
    transfers: () => ({
      ...store.transfers,
      record: (...given) => {
        keep();
        return store.transfers.record(...given);
      },
    }),
  });
}
