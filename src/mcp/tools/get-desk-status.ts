import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { Desk, DeskStatus, LimitView, PlansStanding } from "../../desk/index.ts";
import { amount, isPositive, limitFigure } from "../text/amount-text.ts";
import { errorText, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import { accountResult, closed, flag, listOf, maybe, text, texts, whole } from "../tool/result-shape.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import { unresolvedLines, unresolvedShape } from "./cancel-all-orders.ts";
import { waitingLines, waitingShape } from "./get-open-orders.ts";

/** Figures of the plans, where a profile has them. */
type Status = DeskStatus & { readonly plans?: PlansStanding };
type ShownStatus = Omit<Status, "plans"> & { readonly plans?: ShownStanding };
type ShownStanding = Omit<PlansStanding, "paused" | "waiting">;

const standing = closed<ShownStanding>({
  ...{ active: whole, protecting: whole, attention: whole },
  ...{ reserved: text, watched_since: maybe },
});

const fields = {
  now: closed<DeskStatus["now"]>({ utc: text, local: text, timezone: text }),
  profile: text,
  venue: text,
  can_trade: flag,
  clock_offset_ms: { type: ["number", "null"] },
  mode: maybe,
  policy_file: text,
  limits: listOf(closed<LimitView>({ rule: text, limit: text, line: text, used: maybe, left: maybe, frees_at: maybe })),
  largest_buy: text,
  brake: closed<NonNullable<DeskStatus["brake"]>>({ reason: text, by: text, since: text }),
  waiting: waitingShape,
  pin_set: { type: ["boolean", "null"] },
  cancel_timer_fires_at: maybe,
  unresolved: unresolvedShape,
  warnings: texts,
} as const;

/** @param hasPlans whether the profile has their module: without it nothing is said of them, nor has the list of tools more than it had */
function statusTool(hasPlans: boolean): Tool {
  return defineTool({
    name: "get_desk_status",
    title: "Desk status",
    description:
      "Time, paper or live, account, limits and what is left of them, largest buy now, halt, what waits for a person, orders with unknown outcome.",
    module: "safety",
    scope: "account:read",
    input: z.strictObject({}),
    output: hasPlans
      ? accountResult<ShownStatus>({ ...fields, plans: standing })
      : accountResult<Omit<ShownStatus, "plans">>(fields),
    async run(_, { desk }) {
      const { plans, ...status }: Status = await desk.status();
      const shown: ShownStatus = { ...status, ...(hasPlans && plans && { plans: shownStanding(plans) }) };
      return bounded(desk, shown, (view) => statusText(view, desk), status.error !== undefined);
    },
  });
}

export const getDeskStatus = statusTool(true);
/** Of a profile without the module of plans. */
export const deskStatusAlone = statusTool(false);

function shownStanding({ active, protecting, attention, reserved, watched_since }: PlansStanding): ShownStanding {
  return { active, protecting, attention, reserved, watched_since };
}

function statusText(status: ShownStatus, desk: Pick<Desk, "command">): string {
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
    plansLine(status),
    status.cancel_timer_fires_at === null
      ? undefined
      : `Everything is canceled at ${status.cancel_timer_fires_at} unless set_cancel_timer is called before.`,
    ...unresolvedLines(status.unresolved),
    ...warned(status.warnings),
  );
}

/** What is not at rest comes first. */
function plansLine({ plans, unit }: ShownStatus): string | undefined {
  if (plans === undefined || plans.active + plans.attention === 0) return undefined;
  const { active, protecting, attention, reserved, watched_since: since } = plans;
  const told = [
    ...(attention === 0 ? [] : [`${attention} cannot go on without a person`]),
    `${active} active${protecting === 0 ? "" : `, of which ${protecting} protect what is held`}`,
    ...(isPositive(reserved) ? [`${amount(reserved, unit)} of the day set aside`] : []),
  ];
  const watched = active === 0 ? "" : since === null ? " NOBODY watches them now." : ` Watched since ${since}.`;
  return `Plans: ${told.join("; ")}.${watched}`;
}

function pinText({ pin_set }: ShownStatus): string {
  if (pin_set === null) return "Whether a PIN is set cannot be read.";
  return pin_set ? "A PIN is set." : "No PIN is set.";
}

function haltText({ brake }: ShownStatus, desk: Pick<Desk, "command">): string | undefined {
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
