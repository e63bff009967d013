import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { BudgetView, DeskStatus } from "../../desk/index.ts";
import { counted } from "../amount-text.ts";
import { answered, errorText, lines } from "../answer.ts";
import { accountResult, closed, flag, maybe, text, texts, whole } from "../result-shape.ts";
import { defineTool } from "../tool.ts";
import { warned } from "../write-text.ts";
import { unresolvedLines, unresolvedShape } from "./cancel-all-orders.ts";

export const getDeskStatus = defineTool({
  name: "get_desk_status",
  title: "Desk status",
  description:
    "Paper or live, account, what the policy allows and how much of it is used, whether trading is halted, and orders whose outcome is not known yet.",
  module: "safety",
  input: z.strictObject({}),
  output: accountResult<DeskStatus>({
    profile: text,
    venue: text,
    can_trade: flag,
    clock_offset_ms: { type: ["number", "null"] },
    mode: maybe,
    budgets: { type: "object", additionalProperties: closed<BudgetView>({ used: text, limit: text }) },
    brake: closed<NonNullable<DeskStatus["brake"]>>({ reason: text, by: text, since: text }),
    pending_approvals: whole,
    cancel_timer_fires_at: maybe,
    unresolved: unresolvedShape,
    warnings: texts,
  }),
  async run(_, { desk }) {
    const status = await desk.status();
    return answered(desk, statusText(status), status, status.error !== undefined);
  },
});

function statusText(status: DeskStatus): string {
  const money = status.environment === "live" ? "real money" : "paper money";
  const offset = status.clock_offset_ms === null ? "" : ` Clock offset ${status.clock_offset_ms} ms.`;
  const trading = status.can_trade ? "Trading is possible" : "Trading is not possible";
  const why = status.error === undefined ? "" : ` ${errorText(status.error)}`;
  return lines(
    `Profile ${status.profile}, account ${quoted(status.account)}, ${money}. Exchange ${status.venue}. ${trading}.${offset}${why}`,
    haltText(status),
    policyText(status),
    status.pending_approvals === 0 ? undefined : `${counted(status.pending_approvals, "order")} waiting for a person.`,
    status.cancel_timer_fires_at === null
      ? undefined
      : `Everything is canceled at ${status.cancel_timer_fires_at} unless set_cancel_timer is called before.`,
    ...unresolvedLines(status.unresolved),
    ...warned(status.warnings),
  );
}

function haltText({ brake }: DeskStatus): string | undefined {
  if (brake === undefined) return undefined;
  const why = brake.reason === "" ? "" : `, reason given: ${quoted(brake.reason, 200)}`;
  return `HALTED since ${brake.since} by ${quoted(brake.by)}${why}. Only a person lifts it (hoga resume).`;
}

function policyText({ mode, budgets }: DeskStatus): string | undefined {
  if (mode === null) return undefined;
  const used = Object.entries(budgets).map(([name, { used: figure, limit }]) => `${name} ${figure} of ${limit}`);
  return lines(`Policy: ${mode}. ${used.join(", ")}`.trimEnd());
}
