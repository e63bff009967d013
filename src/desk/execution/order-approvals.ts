/** Orders that wait for a person, as they are listed. */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ApprovalAnswer } from "../model/approval-request.ts";
import type { IntentRecord } from "../model/intent.ts";
import { approvalRequest } from "../model/order-report.ts";
import type { PendingView, WriteReport } from "../model/reports.ts";
import type { Approvals } from "../submission/approve.ts";
import type { Assessed } from "./assess-order.ts";
import type { Answered } from "./order-kind.ts";

export type OrderApprovals = Approvals<IntentRecord, Answered, Assessed, ApprovalAnswer["request"], WriteReport>;

export async function pendingView(context: DeskContext, approvals: OrderApprovals): Promise<Result<PendingView>> {
  const found = await approvals.pending();
  if (!found.ok) return found;
  const pending = found.value.flatMap((intent) => {
    const request = approvalRequest(intent);
    const { approval } = intent.body;
    if (request === undefined || approval === undefined) return [];
    return [{ ...request, digest: approval.digest, warnings: approval.warnings ?? [] }];
  });
  return ok({ pending, ...context.stamp() });
}
