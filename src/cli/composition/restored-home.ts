/**
 * Settles once a data directory that was put back from a copy or moved: the brake is on before anything else, what waits for a
 * person is withdrawn, tokens are revoked, passkeys removed and tenants' subjects dismissed, as what was ended since would be valid again and counters
 * have gone back, and the log says it. A person who has looked at the exchange resumes, with the PIN.
 *
 * Invariant: it goes on under a new identity last of all, so that whatever comes in between happens again at the next start.
 *
 * Source: decision 0025, decision 0035, decision 0045, architecture.md#rule-4.
 */
import type { Home } from "../../config/index.ts";
import { localFault } from "../../contract/index.ts";
import {
  type Clock,
  type Journal,
  type KillSwitchStore,
  type TransferJournal,
  withdrawEverything,
} from "../../desk/index.ts";
import type { AccessTokens, Passkeys, Restored, StoredSessions, Tenants } from "../../store/index.ts";
import { FaultError, unwrap } from "../failure.ts";
import { haltHome } from "./home-kill-switch.ts";

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
  const { journal, transfers, killSwitch, tokens, passkeys, tenants, consoleSessions } = store;
  const record = { reason: reasonOf(restored), by: "hoga", atMs: clock.now() };
  unwrap(await haltHome(home, record, killSwitch));
  const { isWhole, warnings } = await withdrawEverything({ journal, transfers: { journal: transfers } }, clock.now());
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
