/**
 * What a notice says to its receiver: the same as data for programs, and in a sentence for people.
 *
 * Invariant: no secret of ours is in it, whatever a note holds.
 */
import { scrubber } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import { inForce, type Notice, type PlanRecord } from "../../desk/index.ts";
import { noticeWords, type Words } from "../../words/index.ts";

/** Whose notices they are, as results name it. */
export interface NoticeStamp {
  readonly environment: "sandbox" | "live";
  readonly account: string;
  /** The unit of account. */
  readonly unit: string;
  readonly tenant?: string;
}

/** @param plan undefined of one that is not kept any more @returns JSON, the same at every delivery but for what is known of the plan */
export function noticeBody(
  notice: Notice,
  plan: PlanRecord | undefined,
  { environment, account, unit, tenant }: NoticeStamp,
  words: Words,
): string {
  const { noticeId: id, type, atMs, planId, body } = notice;
  const terms = plan && inForce(plan).terms;
  const symbol = terms !== undefined && "symbol" in terms ? terms.symbol : undefined;
  const text = noticeWords(notice, terms, { environment, unit }, words);
  const data = {
    ...body,
    ...{ environment, account, plan_id: planId },
    ...defined({ tenant, kind: terms?.kind, symbol, note: terms?.note }),
    text,
  };
  return scrubber.json({ type, id, created_at: new Date(atMs).toISOString(), data });
}
