/**
 * Halts a data directory before anything else is looked at: no profile, key, exchange or database has to be whole for it.
 *
 * Entry points: `haltByFile`, at once; `haltHome`, which also writes to the database.
 * Invariant: neither throws, whatever is wrong.
 *
 * Source: architecture.md#rule-4; decision 0011.
 */
import { type Home, prepareHome } from "../../config/index.ts";
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { KillSwitchRecord, KillSwitchStore } from "../../desk/index.ts";
import { unwrap } from "../failure.ts";

/** @returns what went wrong */
export async function haltByFile(home: Home, record: KillSwitchRecord): Promise<string | undefined> {
  // A directory that is not as it should be is reported when it is opened; the file may be written all the same.
  await problemOf(() => prepareHome(home));
  return problemOf(async () => (await import("../../store/index.ts")).pullBrakeFile(home.database, record));
}

/** @returns warnings where it holds in every process; a fault where it does not */
export async function haltHome(
  home: Home,
  record: KillSwitchRecord,
  killSwitch: Pick<KillSwitchStore, "engage">,
): Promise<Result<readonly string[]>> {
  const inFile = await haltByFile(home, record);
  const inStore = await problemOf(async () => void unwrap(await killSwitch.engage(record)));
  if (inStore === undefined) return ok([]);
  if (inFile === undefined) return ok([`Trading is halted by its file alone. ${inStore}`]);
  const message = `Trading is NOT halted: neither the file nor the store could be written. ${inStore}`;
  return failed(localFault("ELocal:Store unavailable", { message }));
}

/** What went wrong in a step that must not hold up the next. */
export async function problemOf(step: () => Promise<void> | void): Promise<string | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
