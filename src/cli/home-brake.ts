/**
 * Owns the brake of a data directory, as it is pulled before anything else is looked at: no profile, key, exchange or database has
 * to be whole for it.
 *
 * Entry points: `pullFile`, at once; `pullBrake`, which also tells the database.
 * Invariant: neither throws, whatever is wrong.
 */
import { type Home, prepareHome } from "../config/index.ts";
import type { KillSwitchRecord, KillSwitchStore } from "../desk/index.ts";
import { unwrap } from "./failure.ts";

export interface Pulled {
  /** Whether every process of the data directory obeys. */
  readonly isOn: boolean;
  readonly warnings: readonly string[];
}

/** @returns what went wrong */
export async function pullFile(home: Home, record: KillSwitchRecord): Promise<string | undefined> {
  // A directory that is not as it should be is told when the desk is opened; the file may go in all the same.
  await problemOf(() => prepareHome(home));
  return problemOf(async () => (await import("../store/index.ts")).pullBrakeFile(home.database, record));
}

export async function pullBrake(
  home: Home,
  record: KillSwitchRecord,
  stored: () => Promise<Pick<KillSwitchStore, "engage">>,
): Promise<Pulled> {
  const inFile = await pullFile(home, record);
  const inStore = await problemOf(async () => unwrap(await (await stored()).engage(record)));
  if (inStore === undefined) return { isOn: true, warnings: [] };
  if (inFile === undefined) return { isOn: true, warnings: [`The brake is on by its file alone. ${inStore}`] };
  return { isOn: false, warnings: [`The brake is NOT on: neither its file nor the store takes it. ${inStore}`] };
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
