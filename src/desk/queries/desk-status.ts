/**
 * The desk's status, and as much of it as the store alone knows: environment, account, the limits and what is left of them, kill switch, orders that wait for a person or for
 * an answer.
 */

import { type Accounts, ok, type Result } from "../../contract/index.ts";
import { hasPin } from "../approval/instruction.ts";
import { missingPin } from "../approval/pin-needed.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { localTime, startOfDay } from "../core/local-time.ts";
import type { AccountUsage, KillSwitchRecord } from "../model/account-usage.ts";
import { type IntentState, UNSETTLED_STATES } from "../model/intent-state.ts";
import { reportError } from "../model/order-report.ts";
import type { PlansStanding } from "../model/plan-state.ts";
import { POLICY_FILE, type Policy } from "../model/policy.ts";
import type { DeskStatus, Standing } from "../model/reports.ts";
import { UNRESOLVED_STATES } from "../model/submission.ts";
import type { DayLoss } from "../portfolio/day-loss.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";
import { type Buying, type LossOfDay, largestBuy, limitsOf } from "../risk/limits.ts";
import { clockFault, standstillReasons } from "../risk/standstill.ts";
import { openAtVenue, unknownOrderLines } from "./unknown-orders.ts";
import { unresolvedView, waitingOrders } from "./waiting.ts";

/** Unresolved intents listed, and counted. */
const LIST_MAX = 50;
const COUNT_MAX = 500;

/** What plans say of themselves in figures. */
interface PlanFigures {
  standing(): Promise<Result<PlansStanding>>;
}

export interface StatusParts {
  readonly timer: { dueAtMs(): Promise<number | undefined> };
  readonly dayLoss: Pick<DayLoss, "read">;
  readonly reconciler: Pick<OrderReconciler, "settle">;
  /** Undefined where nothing keeps plans. */
  readonly plans: PlanFigures | undefined;
}

export async function deskStatus(context: DeskContext, parts: StatusParts): Promise<DeskStatus> {
  const { timer, dayLoss, reconciler, plans } = parts;
  const { venue, profile, policy: source, clock, timeZone, untried } = context.parts;
  const time = await venue.time();
  // Queried each time: a key that worked this morning may be refused now, while public calls go on answering.
  const [account, open] =
    time.ok && venue.keyId !== undefined
      ? await Promise.all([venue.accounts(), openAtVenue(context)])
      : [undefined, undefined];
  const named = account?.ok === true ? await context.setAccount(account.value.account_id) : undefined;
  const policy = source.read();
  const fault = time.ok ? (account?.ok === false ? account.fault : policy.ok ? undefined : policy.fault) : time.fault;
  const isUnknown = venue.keyId !== undefined && account?.ok !== true && context.stamp().account === "unknown";
  // In the same moment, as none of them needs another's answer.
  const [journal, planned, { value: engaged, fault: unread }, dueAtMs, noPin, isPinSet, lost, unknown, written] =
    await Promise.all([
      isUnknown ? NO_ACCOUNT : journalView(context, named),
      plansView(context, plans),
      attempt(() => context.parts.killSwitch.state()),
      timer.dueAtMs(),
      missingPin(context),
      hasPin(context.terminal),
      policy.ok && account?.ok === true ? lossView(context, policy.value, dayLoss) : undefined,
      account?.ok === true && open !== undefined ? unknownOrderLines(context, reconciler, open) : [],
      // What can be read cannot always be written, as on a full disk.
      account?.ok === true ? attempt(() => context.parts.journal.writable()) : undefined,
    ]);
  const { usage, ...listed } = journal;
  const halt = engaged ?? context.localKillSwitch;
  // In this mode every order needs a person.
  const isBarred = noPin !== undefined && policy.ok && policy.value.mode === "confirm";
  const limits = policy.ok && usage !== undefined ? limitsOf(policy.value, usage, lost?.ofDay) : [];
  const reasons = policy.ok ? standstillReasons({ policy: policy.value, halt, limits }) : [];
  const isAllowed = policy.ok && reasons.length === 0 && !isBarred;
  const offset = time.ok ? clockFault(context) : undefined;
  const isFree = account?.ok === true && listed.warnings.length === 0 && unread === undefined && offset === undefined;
  const unwritten = isFree ? written?.fault : undefined;
  const can_trade = isFree && isAllowed && unwritten === undefined;
  const buying = can_trade && policy.ok && usage && { policy: policy.value, accountUsage: usage, limits };
  return {
    now: localTime(clock.now(), timeZone),
    profile,
    ...context.stamp(),
    venue: time.ok ? "up" : "down",
    ...(fault && { error: reportError(fault) }),
    clock_offset_ms: venue.clockOffsetMs() ?? null,
    can_trade,
    mode: policy.ok ? policy.value.mode : null,
    policy_file: POLICY_FILE,
    limits,
    largest_buy: buying && account?.ok === true ? await largestNow(context, buying, account.value) : "0",
    ...brakeOf(halt),
    cancel_timer_fires_at: dueAtMs === undefined ? null : new Date(dueAtMs).toISOString(),
    ...listed,
    ...(planned.plans && { plans: planned.plans }),
    pin_set: isPinSet ?? null,
    warnings: [
      ...[untried?.()].filter((said) => said !== undefined),
      ...listed.warnings,
      ...[unwritten, offset].flatMap((why) => (why === undefined ? [] : [`No order leaves now. ${why.message}`])),
      ...reasons,
      ...(unread === undefined ? [] : [`Whether trading is halted cannot be read. ${unread.message}`]),
      ...(noPin === undefined ? [] : [`${noPin.message} ${noPin.nextAction}`]),
      ...(lost?.warnings ?? []),
      ...unknown,
      ...planned.warnings,
    ],
  };
}

function brakeOf(halt: KillSwitchRecord | undefined): Pick<DeskStatus, "brake"> {
  return halt === undefined
    ? {}
    : { brake: { reason: halt.reason, by: halt.by, since: new Date(halt.atMs).toISOString() } };
}

/** Tells what the store alone knows of it. */
export async function deskStanding(context: DeskContext): Promise<Result<Standing>> {
  const { killSwitch, policy, venue } = context.parts;
  const stored = await killSwitch.state();
  if (!stored.ok) return stored;
  const engaged = stored.value ?? context.localKillSwitch;
  const known = { halted: engaged !== undefined, ...brakeOf(engaged), clockOffsetMs: venue.clockOffsetMs() };
  if (!context.knowsAccount) return ok({ ...known, ofAccount: undefined });
  const found = await readJournal(context, context.journalAccount(), { states: UNRESOLVED_STATES, max: COUNT_MAX });
  if (!found.ok) return found;
  const { unresolved, waiting, usage } = found.value;
  const inForce = policy.read();
  const limits = inForce.ok ? limitsOf(inForce.value, usage) : [];
  return ok({ ...known, ofAccount: { unresolved: unresolved.length, waiting: waiting.length, limits } });
}

/** "0" where the markets cannot be had: no order passes then. */
async function largestNow(
  context: DeskContext,
  buying: Omit<Buying, "markets" | "cash">,
  { balances }: Accounts,
): Promise<string> {
  const markets = await context.markets();
  if (!markets.ok) return "0";
  const cash = balances.find(({ asset }) => asset === context.unit)?.available ?? "0";
  return largestBuy({ ...buying, markets: markets.value, cash }).toString();
}

interface PlansInStatus {
  readonly plans?: PlansStanding;
  readonly warnings: readonly string[];
}

/** How the account's plans stand. Nothing of plans is loaded where none is open. */
async function plansView(context: DeskContext, plans: PlanFigures | undefined): Promise<PlansInStatus> {
  const { parts } = context;
  const { plans: book } = parts;
  if (book === undefined || plans === undefined || !context.knowsAccount) return { warnings: [] };
  const open = await attempt(() => book.open(context.journalAccount()));
  if (open.value?.length === 0) return { warnings: [] };
  const { value, fault } = open.fault === undefined ? await attempt(() => plans.standing()) : { fault: open.fault };
  if (value !== undefined) return { plans: value, warnings: [] };
  return { warnings: [`Plans cannot be read, though none are shown. ${fault?.message ?? ""}`.trim()] };
}

interface JournalView extends Pick<DeskStatus, "unresolved" | "waiting" | "warnings"> {
  readonly usage?: AccountUsage;
}

const NO_ACCOUNT: JournalView = {
  unresolved: [],
  waiting: [],
  warnings: [
    "Until the exchange has named the account, nothing is known of its orders without an answer or waiting for a person, its limits and its " +
      "cancel timer, though none are shown.",
  ],
};

/** @param named the account's name, where it was looked up just now */
async function journalView(context: DeskContext, named: Result<string> | undefined): Promise<JournalView> {
  const found =
    named?.ok === false
      ? named
      : await readJournal(context, context.journalAccount(), { states: UNSETTLED_STATES, max: LIST_MAX });
  if (!found.ok) {
    const unread =
      "Orders without an answer or waiting for a person, and limits, cannot be read, though none are shown.";
    return { unresolved: [], waiting: [], warnings: [`${unread} ${found.fault.message}`] };
  }
  const { unresolved, waiting, usage } = found.value;
  return { unresolved: unresolved.map(unresolvedView), waiting, warnings: [], usage };
}

/** @param listed which of those that are not at the venue, and how many at most */
async function readJournal(context: DeskContext, account: string, { states, max }: Listed) {
  const { journal, clock, venue } = context.parts;
  const [unresolved, waiting, usage] = await Promise.all([
    journal.inStates(account, states, max),
    waitingOrders(context),
    journal.usage(account, clock.now(), { offsetMs: venue.clockOffsetMs() ?? 0 }),
  ]);
  if (!unresolved.ok) return unresolved;
  if (!waiting.ok) return waiting;
  if (!usage.ok) return usage;
  return ok({ unresolved: unresolved.value, waiting: waiting.value, usage: usage.value });
}

interface Listed {
  readonly states: readonly IntentState[];
  readonly max: number;
}

interface LossView {
  readonly ofDay: LossOfDay;
  readonly warnings: readonly string[];
}

/** Shows what was lost today; undefined where there is no limit. */
async function lossView(
  { parts: { clock, timeZone } }: DeskContext,
  { maxDayLoss: limit, dayLossAction }: Policy,
  dayLoss: Pick<DayLoss, "read">,
): Promise<LossView | undefined> {
  if (limit === "off") return undefined;
  const { value: lost, fault } = await attempt(() => dayLoss.read());
  const ofDay = { limit, lost, dayEndsMs: startOfDay(clock.now(), timeZone, 1) };
  const passes = dayLossAction === "halt" ? "No order passes." : "Only sells of what is held pass.";
  if (lost === undefined)
    return { ofDay, warnings: [`What was lost today cannot be counted. ${passes} ${fault?.message ?? ""}`.trim()] };
  return { ofDay, warnings: lost.lt(limit) ? [] : [`The loss of the day has reached its limit. ${passes}`] };
}
