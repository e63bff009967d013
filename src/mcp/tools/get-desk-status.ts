import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { Desk, DeskStatus, LimitView, PlansStanding } from "../../desk/index.ts";
import { amount, isPositive, limitFigure } from "../text/amount-text.ts";
import { errorText, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import { accountResult, closed, flag, listOf, maybe, text, texts, whole } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";
import { unresolvedLines, unresolvedShape } from "./cancel-all-orders.ts";
import { waitingLines, waitingShape } from "./get-open-orders.ts";

export const getDeskStatus = defineTool({
  name: "get_desk_status",
  title: "Desk status",
  description:
    "Time, paper or live, account, limits and what is left of them, largest buy now, halt, what waits for a person, orders with unknown outcome.",
  module: "safety",
  scope: "account:read",
  input: z.strictObject({}),
  output: accountResult<DeskStatus>({
    now: closed<DeskStatus["now"]>({ utc: text, local: text, timezone: text }),
    profile: text,
    venue: text,
    can_trade: flag,
    clock_offset_ms: { type: ["number", "null"] },
    mode: maybe,
    policy_file: text,
    limits: listOf(
      closed<LimitView>({ rule: text, limit: text, line: text, used: maybe, left: maybe, frees_at: maybe }),
    ),
    largest_buy: text,
    brake: closed<NonNullable<DeskStatus["brake"]>>({ reason: text, by: text, since: text }),
    waiting: waitingShape,
    pin_set: { type: ["boolean", "null"] },
    cancel_timer_fires_at: maybe,
    unresolved: unresolvedShape,
    plans: closed<PlansStanding>({
      ...{ active: whole, protecting: whole, attention: whole, paused: whole, waiting: whole },
      ...{ reserved: text, watched_since: maybe },
    }),
    warnings: texts,
  }),
  async run(_, { desk }) {
    const status = await desk.status();
    return bounded(desk, status, (view) => statusText(view, desk), status.error !== undefined);
  },
});

function statusText(status: DeskStatus, desk: Pick<Desk, "command">): string {
  const money = status.environment === "live" ? "real money" : "paper money";
  const offset = status.clock_offset_ms === null ? "" : ` Clock offset ${status.clock_offset_ms} ms.`;
  const trading = status.can_trade ? "Trading is possible" : "Trading is not possible";
  const why = status.error === undefined ? "" : ` ${errorText(status.error)}`;
  const { utc, timezone } = status.now;
  return lines(
    `Profile ${status.profile}, account ${quoted(status.account)}, ${money}. Exchange ${status.venue}. ${trading}.${offset}${why}`,
    `It is ${utc} (${timezone}). ${pinText(status)}`,
    haltText(status, desk),
    status.mode === null
      ? `Policy: cannot be read, in ${status.policy_file}; a person repairs it.`
      : `Policy: ${status.mode}, set in ${status.policy_file}; a person changes it. Largest buy now: ${amount(status.largest_buy, status.unit)}.`,
    ...status.limits.map((limit) => limitLine(limit, status.unit)),
    ...waitingLines(status.waiting),
    status.cancel_timer_fires_at === null
      ? undefined
      : `Everything is canceled at ${status.cancel_timer_fires_at} unless set_cancel_timer is called before.`,
    plansText(status),
    ...unresolvedLines(status.unresolved),
    ...warned(status.warnings),
  );
}

function plansText({ plans, unit }: DeskStatus): string | undefined {
  if (plans === undefined) return undefined;
  const { active, protecting, attention, paused, waiting, reserved, watched_since: since } = plans;
  const counts = [
    `${active} active`,
    protecting === 0 ? undefined : `${protecting} of them protecting`,
    paused === 0 ? undefined : `${paused} paused`,
    attention === 0 ? undefined : `${attention} in need of a person`,
    waiting === 0 ? undefined : `${waiting} waiting for a person's answer`,
  ].filter((part) => part !== undefined);
  const watched = since === null ? "NOBODY watches" : `watched since ${since}`;
  const aside = isPositive(reserved) ? ` They set ${amount(reserved, unit)} aside today.` : "";
  return `Plans: ${counts.join(", ")}; ${watched}.${aside}`;
}

function pinText({ pin_set }: DeskStatus): string {
  if (pin_set === null) return "Whether a PIN is set cannot be read.";
  return pin_set ? "A PIN is set." : "No PIN is set.";
}

function haltText({ brake }: DeskStatus, desk: Pick<Desk, "command">): string | undefined {
  if (brake === undefined) return undefined;
  const why = brake.reason === "" ? "" : `, reason given: ${quoted(brake.reason, 200)}`;
  return `HALTED since ${brake.since} by ${quoted(brake.by)}${why}. Only a person lifts it, on a terminal: \`${desk.command("resume")}\`.`;
}

function limitLine({ rule, limit, line, used, left, frees_at }: LimitView, unit: string): string {
  const figure = (text: string): string => limitFigure(rule, text, unit);
  if (rule === "order_size") return `- order_size: ${figure(limit)} an order (${line})`;
  if (used === null || left === null)
    return `- ${rule}: limit ${figure(limit)} (${line}), what is used of it is not known`;
  const frees = frees_at === null ? "" : `, more from ${frees_at}`;
  return `- ${rule}: ${figure(used)} of ${figure(limit)} used, ${figure(left)} left${frees} (${line})`;
}
