/**
 * Opens the store of a data directory: the one that it is known to have. Where that was put back from a copy, or is gone, trading is stopped first.
 *
 * Settles once a data directory that was put back from a copy or moved: the brake is on before anything else, what waits for a
 * person is withdrawn, tokens are revoked, passkeys removed and tenants' subjects dismissed, as what was ended since would be valid again and counters
 * have gone back, and the log says it. A person who has looked at the exchange resumes, with the PIN.
 *
 * Invariant: it goes on under a new identity last of all, so that whatever comes in between happens again at the next start.
 *
 * Source: decision 0025, decision 0035, decision 0045, decision 0067, architecture.md#rule-4.
 */
import { type Home, prepareHome, StoreUrl, scrubber } from "../../config/index.ts";
import { defined, localFault, withFirstUse } from "../../contract/index.ts";
import {
  type Clock,
  type IntentBody,
  type IntentState,
  type Journal,
  type KillSwitchStore,
  type TransferBody,
  type TransferJournal,
  type TransferState,
  withdrawAllIn,
} from "../../desk/index.ts";
import type {
  AccessTokens,
  Passkeys,
  Restored,
  Store,
  StoredSessions,
  StoreLocation,
  Tenants,
} from "../../store/index.ts";
import { systemClock } from "../../transport/index.ts";
import { FaultError, unwrap } from "../failure.ts";
import { callerNow } from "./current-caller.ts";
import { haltByFile, haltHome } from "./home-kill-switch.ts";
import { type ExpectedStore, expectedStore, keepMark } from "./home-mark.ts";

export type DeskStore = Store<IntentState, IntentBody, TransferState, TransferBody>;

/**
 * @param onTrouble told where it was found to have been put back from a copy
 * @param serves whether the directory is known to have this store from now on; else it is once an order, a transfer or a plan is recorded
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

/** The store, whose first record of an order, a transfer or a plan is told: a command that trades is no look. */
function marking(store: DeskStore, keep: () => void): DeskStore {
  // What nobody asks for is not made, so that it is not copied either.
  return withFirstUse<DeskStore, Pick<DeskStore, "journal" | "transfers" | "plans">>(Object.create(store), {
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
    plans: () => ({
      ...store.plans,
      record: (...given) => {
        keep();
        return store.plans.record(...given);
      },
    }),
  });
}

interface Journals {
  readonly journal: Journal;
  readonly transfers: TransferJournal;
  readonly killSwitch: KillSwitchStore;
  readonly tokens: AccessTokens;
  readonly passkeys: Passkeys;
  readonly tenants: Tenants;
  readonly consoleSessions: StoredSessions;
  readonly restored: Restored | undefined;
}

/** @param onTrouble told what was found @throws FaultError where trading could not be stopped, or something that waits could not be withdrawn */
export async function stopRestored(
  home: Home,
  store: Journals,
  clock: Clock,
  onTrouble: (message: string) => void,
): Promise<void> {
  const { restored } = store;
  if (restored === undefined) return;
  const { killSwitch, tokens, passkeys, tenants, consoleSessions } = store;
  const record = { reason: reasonOf(restored), by: "hoga", atMs: clock.now() };
  unwrap(await haltHome(home, record, killSwitch));
  const { isWhole, warnings } = await withdrawAllIn(store, clock.now());
  if (!isWhole)
    throw new FaultError(localFault("ELocal:Store unavailable", { message: `${record.reason} ${warnings.join(" ")}` }));
  const why = "put back from a copy, or moved";
  const revoked = unwrap(await tokens.revokeAll(clock.now(), why));
  const removed = unwrap(await passkeys.removeAll(clock.now(), why));
  const dismissed = unwrap(await tenants.dismissAll(clock.now(), why));
  unwrap(await consoleSessions.endAll());
  await restored.accept(clock.now());
  const ended = [
    ...(revoked === 0 ? [] : [` ${revoked} tokens for HTTP were revoked.`]),
    ...(removed === 0 ? [] : [` ${removed} passkeys were removed: enrol them again.`]),
    ...(dismissed === 0 ? [] : [` ${dismissed} subjects of tenants were dismissed: admit them again.`]),
  ];
  onTrouble(`Trading is halted. ${record.reason}${ended.join("")}`);
}

function reasonOf({ why, rowsBefore, rowsNow }: Restored): string {
  return `${findings[why](rowsBefore, rowsNow)} What waited for a person was withdrawn. Compare open orders and fills with the exchange before anybody resumes.`;
}

const findings: Readonly<Record<Restored["why"], (before: number, now: number) => string>> = {
  older: (before, now) =>
    `This data directory was put back from a copy: its log had ${before} rows and has ${now} now, so what was sent since is not in it.`,
  moved: () => "This data directory was put back from a copy, or moved: whether something was sent since is not known.",
  gone: (before, now) =>
    now === 0
      ? "The store is new, and there was one here before: what was sent before is not known any more."
      : `Another store stood here before, of ${before} rows, and this one does not go on from it: what was sent before is not known any more.`,
};
