/** What decided that a market stood at a price, as a person may read it and a program check it. */
import type { AuditDetail } from "../../model/submission.ts";
import { isoTime } from "../plan-view.ts";
import type { Sample } from "../watch/trigger.ts";
import type { Triggered } from "../watch/waiting-plans.ts";

export function sampleDetail({ atMs, heardMs, print, bid, ask }: Sample): AuditDetail {
  return {
    ...{ at: isoTime(atMs), heard_at: isoTime(heardMs), print: print?.price.toString() },
    ...{ print_at: print && isoTime(print.atMs), bid: bid?.toString(), ask: ask?.toString() },
  };
}

/** The price that was waited for, and of what trails the high that it is of. */
export function levelDetail({ level: { direction, price }, high }: Pick<Triggered, "level" | "high">): AuditDetail {
  return { [direction === "up" ? "above" : "below"]: price.toString(), high: high?.toString() };
}
