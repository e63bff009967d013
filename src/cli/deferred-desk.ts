/**
 * A desk that is opened by its first use: every method waits for the real one. Where it cannot be opened the answer is a
 * fault, and a write truthfully says that nothing was sent.
 */
import { type Fault, failed, localFault, ok, type Result } from "../contract/index.ts";
import {
  type CancelAllReport,
  type Desk,
  deniedOrder,
  type HaltReport,
  haltReason,
  type KillSwitchRecord,
  type ReconcileReport,
  reportError,
  type Stamp,
  type WriteReport,
} from "../desk/index.ts";
import { deferredTransfers } from "./deferred-transfers.ts";
import { isExplained } from "./failure.ts";
import type { Pulled } from "./home-brake.ts";

/** As the desk itself words it in the log. */
export interface BrakeStep {
  readonly event: "halted" | "resumed";
  readonly detail: Readonly<Record<string, string>>;
}

/** The brake as it is without a desk. */
export interface DesklessBrake {
  /** Puts it on for every process, as far as that can be done; never throws. */
  pull(record: KillSwitchRecord): Promise<Pulled>;
  release(): Promise<void>;
  /** A desk without a store, where that is what does not open: it can cancel and do no more. */
  desk(record: KillSwitchRecord): Promise<Desk | undefined>;
  /** Writes into the log what was done without a desk. */
  note(step: BrakeStep, atMs: number): Promise<unknown>;
  /** Whether this process goes on, and then obeys what it alone knows. */
  readonly stays: boolean;
}

/** @param brake needs no desk: whatever does not open, the brake can be pulled */
export function deferredDesk(
  open: () => Promise<Desk>,
  known: Pick<Desk, "environment" | "profile">,
  brake: DesklessBrake,
): Desk {
  const stamp = { environment: known.environment, account: "unknown" };
  const opened = (): Promise<Result<Desk>> => explained(open);
  const use = async <T>(look: (desk: Desk) => Promise<Result<T>>): Promise<Result<T>> => {
    const desk = await opened();
    return desk.ok ? look(desk.value) : desk;
  };
  const settle = async (look: (desk: Desk) => Promise<ReconcileReport>): Promise<ReconcileReport> => {
    const desk = await opened();
    if (desk.ok) return look(desk.value);
    return { checked: 0, accepted: 0, not_placed: 0, still_unknown: 0, fault: desk.fault };
  };
  const write = async (send: (desk: Desk) => Promise<WriteReport>): Promise<WriteReport> => {
    const desk = await opened();
    return desk.ok ? send(desk.value) : deniedOrder(stamp, desk.fault);
  };
  return {
    ...known,
    ...deferredReads(use),
    transfers: deferredTransfers(opened, stamp),
    place: (request) => write((desk) => desk.place(request)),
    cancel: (name) => write((desk) => desk.cancel(name)),
    cancelAll: async (symbol) => {
      const desk = await opened();
      return desk.ok ? desk.value.cancelAll(symbol) : nothingCanceled(stamp, desk.fault);
    },
    pending: () => use((desk) => desk.pending()),
    sealApproval: (intentId, request) => use((desk) => desk.sealApproval(intentId, request)),
    setCancelTimer: (seconds) => use((desk) => desk.setCancelTimer(seconds)),
    audit: (query) => use((desk) => desk.audit(query)),
    policy: () => use((desk) => desk.policy()),
    watch: (topic, onChange) => use((desk) => desk.watch(topic, onChange)),
    approve: (...yes) => write((desk) => desk.approve(...yes)),
    settle: (name, word) => use((desk) => desk.settle(name, word)),
    deny: (intentId) => use((desk) => desk.deny(intentId)),
    answerApproval: (answer) => write((desk) => desk.answerApproval(answer)),
    halt: (reason, by) => haltWith({ brake, opened, stamp }, haltReason(reason), by),
    resume: async (by) => {
      const desk = await opened();
      if (desk.ok) return desk.value.resume(by);
      const unstored = await failureOf(() => brake.release());
      if (unstored !== undefined) return { resumed: false, ...stamp, error: reportError(desk.fault) };
      await brake.note({ event: "resumed", detail: { by } }, Date.now());
      return { resumed: true, ...stamp };
    },
    status: async () => {
      const desk = await opened();
      return desk.ok ? desk.value.status() : { ...known, ...stamp, ...UNOPENED, error: reportError(desk.fault) };
    },
    reconcile: () => settle((desk) => desk.reconcile()),
    fireDueTimer: async () => {
      const desk = await opened();
      if (desk.ok) await desk.value.fireDueTimer();
    },
    upkeep: () => settle((desk) => desk.upkeep()),
  };
}

interface Halting {
  readonly brake: DesklessBrake;
  readonly opened: () => Promise<Result<Desk>>;
  readonly stamp: Stamp;
}

/** The brake first, then whatever can cancel: the desk, or one without a store. */
async function haltWith({ brake, opened, stamp }: Halting, reason: string, by: string): Promise<HaltReport> {
  const record = { reason, by, atMs: Date.now() };
  const pulled = await brake.pull(record);
  const off = brake.stays ? ("here" as const) : ("nowhere" as const);
  const desk = await opened();
  const bare = desk.ok ? undefined : await explained(() => brake.desk(record));
  const able = desk.ok ? desk.value : bare?.ok === true ? bare.value : undefined;
  if (able !== undefined) {
    const report = await able.halt(reason, by);
    const isOn = pulled.isOn || (desk.ok && report.brake === "everywhere");
    return { ...report, brake: isOn ? "everywhere" : off, warnings: joined(pulled.warnings, report.warnings) };
  }
  await brake.note({ event: "halted", detail: { reason, by } }, record.atMs);
  const fault = desk.ok ? localFault("ELocal:Not started") : desk.fault;
  const report = { ...nothingCanceled(stamp, fault), unresolved: [], elsewhere: [], warnings: pulled.warnings };
  return { ...report, brake: pulled.isOn ? "everywhere" : off };
}

/** What cannot be opened, as a fault; a defect goes on as a throw. */
async function explained<T>(step: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await step());
  } catch (error) {
    if (!isExplained(error)) throw error;
    return failed(
      localFault("ELocal:Not started", { message: `${error.message} Nothing was sent.`, nextAction: error.fix }),
    );
  }
}

type Use = <T>(look: (desk: Desk) => Promise<Result<T>>) => Promise<Result<T>>;

function deferredReads(use: Use) {
  return {
    market: (symbol) => use((desk) => desk.market(symbol)),
    markets: (search) => use((desk) => desk.markets(search)),
    tickers: (symbols) => use((desk) => desk.tickers(symbols)),
    orderbook: (...asked) => use((desk) => desk.orderbook(...asked)),
    trades: (symbol, limit) => use((desk) => desk.trades(symbol, limit)),
    candles: (symbol, interval, period) => use((desk) => desk.candles(symbol, interval, period)),
    balances: () => use((desk) => desk.balances()),
    orders: (request) => use((desk) => desk.orders(request)),
    order: (name) => use((desk) => desk.order(name)),
    fills: (request) => use((desk) => desk.fills(request)),
    preview: (request) => use((desk) => desk.preview(request)),
    notice: (order) => use((desk) => desk.notice(order)),
    awaitOrder: (request) => use((desk) => desk.awaitOrder(request)),
  } satisfies Partial<Desk>;
}

/** What went wrong, where a person can be told; a defect goes on as a throw. */
async function failureOf(step: () => Promise<void>): Promise<Error | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (isExplained(error)) return error;
    throw error;
  }
}

/** Each once, in the order they came. */
function joined(first: readonly string[], then: readonly string[]): readonly string[] {
  return [...new Set([...first, ...then])];
}

function nothingCanceled(stamp: Stamp, fault: Fault): CancelAllReport {
  const { state: _denied, ...report } = deniedOrder(stamp, fault);
  return { ...report, results: [], canceled: 0, remaining: null };
}

/** What is known of a desk that could not be opened. */
const UNOPENED = {
  venue: "down",
  clock_offset_ms: null,
  can_trade: false,
  mode: null,
  budgets: {},
  pending_approvals: 0,
  cancel_timer_fires_at: null,
  unresolved: [],
  warnings: [],
} as const;
