/**
 * Halts a data directory before anything else is read: it needs no profile, key, exchange or database in order.
 *
 * Entry points: `haltByFile`, which writes only the file; `haltHome`, which also writes to the database.
 * Invariants: neither throws, whatever is wrong; a secret in the reason is not kept.
 *
 * Source: architecture.md#rule-4; decision 0011.
 */
import { type Home, prepareHome, scrubber } from "../../config/index.ts";
import { failed, localFault, ok } from "../../contract/index.ts";
import type { Engaged, KillSwitchRecord, KillSwitchStore, Soon } from "../../desk/index.ts";
import { unwrap } from "../failure.ts";
import { isShared } from "./home-mark.ts";

/** @returns what went wrong */
export async function haltByFile(home: Home, record: KillSwitchRecord): Promise<string | undefined> {
  // What is wrong with the directory is reported when it is opened; the file may be written all the same.
  await problemOf(() => prepareHome(home));
  const kept = withoutSecrets(record);
  return problemOf(async () => (await import("../../store/index.ts")).engageKillSwitchFile(home.database, kept));
}

/**
 * @param soon by which the store is asked; the file is written first in any case
 * @returns warnings where every process is halted; a fault where not
 */
export async function haltHome(
  home: Home,
  record: KillSwitchRecord,
  killSwitch: Pick<KillSwitchStore, "engage">,
  soon: Soon = (step) => step(),
): Promise<Engaged> {
  const inFile = await haltByFile(home, record);
  const late = killSwitch.engage(withoutSecrets(record));
  const inStore = await problemOf(async () => void unwrap(await soon(() => late)));
  if (inStore === undefined) return ok([]);
  // Processes that share the store from elsewhere do not see the file.
  if (inFile === undefined && isShared(home)) {
    const message = `Processes that share the store from other data directories are NOT halted: stop them, or cancel at the exchange itself. ${inStore}`;
    return { ...failed(localFault("ELocal:Store unavailable", { message })), inDirectory: true, late };
  }
  if (inFile === undefined)
    return ok([`Trading is halted by the kill-switch file; the store could not be written. ${inStore}`]);
  const message = `Trading is NOT halted: neither the file nor the store could be written. ${inStore}`;
  return { ...failed(localFault("ELocal:Store unavailable", { message })), late };
}

function withoutSecrets(record: KillSwitchRecord): KillSwitchRecord {
  try {
    return scrubber.value(record);
  } catch {
    return { ...record, reason: "" };
  }
}

/** Takes a step whose failure must not keep the next from being taken. @returns what went wrong */
export async function problemOf(step: () => Promise<void> | void): Promise<string | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
