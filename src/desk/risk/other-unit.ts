/** What was counted in another unit has no sum with what is counted in this one: no limit can be held against both. */
import type { Unit } from "../../contract/index.ts";
import { DAY_MS, type Settled } from "../model/account-usage.ts";

/**
 * @param others what the sums of the last day are in
 * @param settled what of it ends by itself, oldest first; empty where that is not known
 */
export function otherUnitFinding(others: Unit | "mixed", unit: Unit, settled: readonly Settled[] = []) {
  const last = settled.at(-1);
  const until = last === undefined ? "" : `, at ${new Date(last.atMs + DAY_MS).toISOString()}`;
  const were = others === "mixed" ? "several units" : others;
  const message = `what was sent in the last 24 hours was counted in ${were} and this profile counts in ${unit}, so no limit can be held against both: cancel what is open of it and wait until the rest is a day old${until}, or use the profile that it was sent in`;
  return { figure: others, limit: unit, message };
}
