/**
 * Owns what stands in for a store that does not open, so that the brake can still cancel: every step of it fails as the store
 * itself did, which the desk tells as a warning, but the brake, which is on by its file.
 */
import { failed, ok, type Result } from "../contract/index.ts";
import type { DeskParts, KillSwitchRecord } from "../desk/index.ts";
import { isTellable } from "./failure.ts";

export function storeless(
  why: unknown,
  brake: KillSwitchRecord,
): Pick<DeskParts, "journal" | "audit" | "killSwitch" | "timers" | "seal"> {
  const fail = async (): Promise<Result<never>> => {
    if (isTellable(why)) return failed(why.toFault());
    throw why;
  };
  return {
    journal: {
      record: fail,
      advance: fail,
      begin: fail,
      standing: fail,
      byIntentId: fail,
      byUserref: fail,
      byOrderId: fail,
      inStates: fail,
      elsewhere: fail,
      unsure: fail,
      heard: fail,
    },
    audit: { append: fail, recent: fail },
    killSwitch: { state: async () => ok(brake), engage: async () => ok(undefined), release: fail },
    timers: { arm: fail, disarm: fail, read: fail, anyDue: fail, claimDue: fail, done: fail },
    seal: { sign: fail, open: fail },
  };
}
