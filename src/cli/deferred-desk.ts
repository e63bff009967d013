/**
 * A desk that is opened by its first use: every method waits for the real one. Where it cannot be opened the answer is a
 * fault, and a write truthfully says that nothing was sent.
 */
import { type Fault, failed, localFault, ok, type Result } from "../contract/index.ts";
import {
  type BrakeSwitch,
  type CancelAllReport,
  type Desk,
  deniedReport,
  type ReconcileReport,
  reportError,
  type Stamp,
  type WriteReport,
} from "../desk/index.ts";
import { isExplained } from "./failure.ts";

/** @param brake the store's own, which needs no desk: whatever does not open, the brake can be pulled */
export function deferredDesk(
  open: () => Promise<Desk>,
  known: Pick<Desk, "environment" | "profile">,
  brake: () => Promise<Pick<BrakeSwitch, "engage" | "release">>,
): Desk {
  const stamp = { environment: known.environment, account: "unknown" };
  const opened = async (): Promise<Result<Desk>> => {
    try {
      return ok(await open());
    } catch (error) {
      if (!isExplained(error)) throw error;
      return failed(
        localFault("ELocal:Not started", { message: `${error.message} Nothing was sent.`, nextAction: error.fix }),
      );
    }
  };
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
    return desk.ok ? send(desk.value) : deniedReport(stamp, desk.fault);
  };
  return {
    ...known,
    ...deferredReads(use),
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
    approve: (intentId, way) => write((desk) => desk.approve(intentId, way)),
    settle: (name, word) => write((desk) => desk.settle(name, word)),
    deny: (intentId) => write((desk) => desk.deny(intentId)),
    answerApproval: (answer) => write((desk) => desk.answerApproval(answer)),
    halt: async (reason, by) => {
      const desk = await opened();
      if (desk.ok) return desk.value.halt(reason, by);
      const unstored = await failureOf(async () => (await brake()).engage({ reason, by, atMs: Date.now() }));
      const report = { ...nothingCanceled(stamp, desk.fault), unresolved: [] };
      if (unstored === undefined) return { ...report, brake: "everywhere" };
      return { ...report, brake: "here", warnings: [`The brake could not be stored. ${unstored.message}`] };
    },
    resume: async (by) => {
      const desk = await opened();
      if (desk.ok) return desk.value.resume(by);
      const unstored = await failureOf(async () => (await brake()).release());
      return unstored === undefined
        ? { resumed: true, ...stamp }
        : { resumed: false, ...stamp, error: reportError(desk.fault) };
    },
    status: async () => {
      const desk = await opened();
      return desk.ok ? desk.value.status() : { ...known, ...stamp, ...UNOPENED, error: reportError(desk.fault) };
    },
    reconcile: () => settle((desk) => desk.reconcile()),
    upkeep: () => settle((desk) => desk.upkeep()),
  };
}

type Use = <T>(look: (desk: Desk) => Promise<Result<T>>) => Promise<Result<T>>;

function deferredReads(use: Use) {
  return {
    market: (symbol) => use((desk) => desk.market(symbol)),
    markets: (search) => use((desk) => desk.markets(search)),
    tickers: (symbols) => use((desk) => desk.tickers(symbols)),
    orderbook: (symbol, depth) => use((desk) => desk.orderbook(symbol, depth)),
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

function nothingCanceled(stamp: Stamp, fault: Fault): CancelAllReport {
  const { state: _denied, ...report } = deniedReport(stamp, fault);
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
