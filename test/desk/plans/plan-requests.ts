/** Plans that may trade, as they are asked for in the world of plans, and what a person says to them. */
import type { PlanApprovalRequest, PlanRequest, PlanView, PlanWriteReport } from "../../../src/desk/index.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import type { Process } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

export const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.4", stop_price: won(100) } satisfies PlanRequest;
export const TAKE: PlanRequest = {
  ...{ kind: "take_profit", symbol: "BTC/KRW", base_volume: "0.4", take_price: won(110) },
};
export const TRAILING: PlanRequest = { kind: "trailing_stop", symbol: "BTC/KRW", base_volume: "0.4", trail: "5%" };
export const OCO: PlanRequest = { ...STOP, kind: "oco", take_price: won(110) };
export const SLICES: PlanRequest = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", quote_amount: "4000000", slices: 4, duration: "2h" },
};
export const WEEKLY: PlanRequest = {
  ...{ kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: "weekly mon 09:00" },
};

/** Everything that may trade waits for a person. */
export const ASKING = { ...LOOSE, plans: { ...LOOSE.plans, approve: "always" as const } };

export interface AskedAbout {
  readonly id: string;
  readonly digest: string;
  readonly approval: PlanApprovalRequest;
}

/** What a report says to wait for a person, with the digest of the question. */
export async function askedAbout({ plans }: Pick<Process, "plans">, report: PlanWriteReport): Promise<AskedAbout> {
  const { approval } = report;
  const pending = await unwrap(plans.pending());
  const found = pending.find(({ asked }) => asked.id === approval?.id);
  if (approval === undefined || found === undefined) throw new Error(`nobody is asked: ${JSON.stringify(report)}`);
  return { id: approval.id, digest: found.digest, approval };
}

/** Made, and begun: with a person's yes, where that is asked for. */
export async function begun(
  process: Pick<Process, "plans">,
  request: PlanRequest,
): Promise<PlanView & { readonly plan_id: string }> {
  const asked = await process.plans.create(request, "assistant");
  const report = asked.state === "active" ? asked : await yesTo(process, asked);
  const { plan } = report;
  if (report.state !== "active" || plan === undefined || plan.plan_id === null) throw new Error(JSON.stringify(report));
  return { ...plan, plan_id: plan.plan_id };
}

export async function yesTo(process: Pick<Process, "plans">, asked: PlanWriteReport): Promise<PlanWriteReport> {
  const { id, digest } = await askedAbout(process, asked);
  return process.plans.approve(id, "pin", digest);
}
