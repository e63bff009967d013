/** What is known of the plans of a desk once a schedule has come to rest, as the store and the exchange have it. */
import type { Mandate, PlanRecord } from "../../src/desk/index.ts";
import type { Moment } from "./market.ts";
import type { Storage } from "./storage.ts";

export type KeptPlan = Pick<PlanRecord, "planId" | "terms" | "state" | "mandate" | "progress" | "untilMs">;

export interface KeptStep {
  readonly planId: string;
  readonly step: number;
  readonly label: string | null;
  readonly state: string;
  readonly dueAtMs: number | null;
  readonly intentId: string | null;
}

/** An entry of the log about a plan. */
export interface PlanEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly event: string;
  readonly planId: string;
  readonly detail: PlanDetail;
}

export interface PlanDetail {
  readonly plan_id?: string;
  readonly from?: string;
  readonly to?: string;
  readonly state?: string;
  readonly by?: string;
  readonly step?: number;
  readonly below?: string;
  readonly above?: string;
  readonly first?: SampleSeen;
  readonly last?: SampleSeen;
}

export interface SampleSeen {
  readonly at: string;
  readonly heard_at: string;
  readonly print?: string;
  readonly print_at?: string;
  readonly bid?: string;
  readonly ask?: string;
}

export interface KeptNotice {
  readonly planId: string;
  readonly type: string;
  readonly key: string;
  readonly body: { readonly steps?: readonly number[] };
}

export interface KeptGap {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** An order of a step that has left, whatever the store has forgotten since. */
export interface ChildLeft {
  readonly planId: string;
  readonly step: number;
  readonly userref: string;
}

/** A trigger that was written, in true time of the exchange. */
export interface TriggerSeen {
  readonly planId: string;
  readonly atMs: number;
  readonly detail: Pick<PlanDetail, "below" | "above" | "first" | "last">;
}

export interface PlanHistory {
  readonly plans: readonly KeptPlan[];
  readonly steps: readonly KeptStep[];
  readonly log: readonly PlanEntry[];
  readonly notices: readonly KeptNotice[];
  readonly gaps: readonly KeptGap[];
  readonly left: readonly ChildLeft[];
  readonly triggers: readonly TriggerSeen[];
  /** By plan. */
  readonly approved: ReadonlyMap<string, Mandate>;
  /** By userref, of every order of a plan that ever was on disk when it left. */
  readonly moments: readonly Moment[];
  /** Protections that stood in vain, with the market at their price and nothing going wrong. */
  readonly idle: readonly string[];
}

export function keptPlans(storage: Storage): readonly KeptPlan[] {
  const found = storage.rows("SELECT plan_id, state, terms, mandate, progress, until_ms FROM plans ORDER BY plan_id");
  return found.map((row) => ({
    planId: String(row["plan_id"]),
    state: String(row["state"]) as KeptPlan["state"],
    terms: JSON.parse(String(row["terms"])) as KeptPlan["terms"],
    mandate: row["mandate"] === null ? null : (JSON.parse(String(row["mandate"])) as KeptPlan["mandate"]),
    progress: JSON.parse(String(row["progress"])) as KeptPlan["progress"],
    untilMs: Number(row["until_ms"]), // not money: a time
  }));
}

const number = (cell: unknown): number | null => (cell === null || cell === undefined ? null : Number(cell)); // not money: times and counts

export function planHistory(
  storage: Storage,
  seen: Pick<PlanHistory, "left" | "triggers" | "approved" | "moments" | "idle">,
): PlanHistory {
  const steps = storage.rows("SELECT plan_id, step, label, state, due_at_ms, intent_id FROM plan_steps");
  const log = storage.rows(
    "SELECT seq, at_ms, event, detail FROM audit WHERE event LIKE 'plan\\_%' ESCAPE '\\' ORDER BY seq",
  );
  const notices = storage.rows("SELECT plan_id, type, key, body FROM notices");
  const gaps = storage.rows("SELECT symbol, from_ms, to_ms FROM plan_gaps");
  return {
    ...seen,
    plans: keptPlans(storage),
    steps: steps.map((row) => ({
      ...{ planId: String(row["plan_id"]), step: number(row["step"]) ?? 0, state: String(row["state"]) },
      label: row["label"] === null ? null : String(row["label"]),
      ...{ dueAtMs: number(row["due_at_ms"]), intentId: row["intent_id"] === null ? null : String(row["intent_id"]) },
    })),
    log: log.map((row) => {
      const detail = JSON.parse(String(row["detail"])) as PlanDetail;
      const [seq, atMs] = [number(row["seq"]) ?? 0, number(row["at_ms"]) ?? 0];
      return { seq, atMs, event: String(row["event"]), planId: detail.plan_id ?? "", detail };
    }),
    notices: notices.map((row) => ({
      ...{ planId: String(row["plan_id"]), type: String(row["type"]), key: String(row["key"]) },
      body: JSON.parse(String(row["body"])) as KeptNotice["body"],
    })),
    gaps: gaps.map((row) => ({
      ...{ symbol: String(row["symbol"]), fromMs: number(row["from_ms"]) ?? 0, toMs: number(row["to_ms"]) },
    })),
  };
}
