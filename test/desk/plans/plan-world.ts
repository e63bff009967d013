/**
 * Desks with plans over the real exchange: other accounts quote and trade, each desk is a process of its own with a stream of its own, and may die. Time passes for
 * exchange and desks alike, as fast as the news arrives; meanwhile each process that stays does its upkeep every second. Entry point: `openPlanWorld`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { SharedMarketStream } from "../../../src/cli/composition/market-stream.ts";
import type {
  MarketStream,
  Notice,
  PlanDesk,
  PlanRequest,
  PlanView,
  PlanWriteReport,
} from "../../../src/desk/index.ts";
import { Stream } from "../../../src/venues/index.ts";
import { openWorld, type Seat, type SeatOptions, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { StreamRelay } from "../../fixture/stream-relay.ts";
import { heard, othersOf, type SandboxMarket, WorldClock, won } from "./sandbox-market.ts";

const STEP_MS = 250;
const UPKEEP_EVERY_MS = 1_000;
const ASIDE_MS = 400;
/** Nobody listens there. */
const NOWHERE = "ws://127.0.0.1:1/";

export const ABOVE: PlanRequest = { kind: "alert", symbol: "BTC/KRW", above: won(110) };
export const BELOW: PlanRequest = { kind: "alert", symbol: "BTC/KRW", below: won(100) };

/** One process. */
export interface Process extends Omit<Seat, "desk"> {
  readonly desk: Seat["desk"];
  readonly plans: PlanDesk;
  readonly relay: StreamRelay;
  /** Its line to the stream breaks and does not come back, or does again. */
  cut(isCut: boolean): void;
}

export interface PlanWorld extends Pick<SandboxMarket, "quotes" | "print" | "sweep" | "rest"> {
  readonly world: World;
  readonly clock: WorldClock;
  /** @param options `plans` to make its book another */
  process(options?: SeatOptions): Promise<Process>;
  /** All that are alive; those that have ended do nothing. */
  pass(ms: number): Promise<void>;
  /** Time passes until it is done. */
  during<T>(step: Promise<T>): Promise<T>;
  /** Everything that was told, oldest first. */
  notices(): Promise<readonly Notice[]>;
  close(): Promise<void>;
}

export async function openPlanWorld(options: { readonly file?: boolean } = {}): Promise<PlanWorld> {
  const world = await openWorld({ ...options, sandbox: { limits: { streamHeartbeatMs: 10 } } });
  const clock = new WorldClock(world);
  const others = othersOf(world);
  others.quotes(104, 105);
  others.print(104.5);
  const alive = new Map<Process, MarketStream>();
  const lines: { readonly relay: StreamRelay; readonly stream: SharedMarketStream }[] = [];
  let keptMs = clock.rising();
  const keeping = new Set<Process>();
  /** A step of it may pause, so it is not waited for longer than it takes otherwise. */
  const upkeep = async (): Promise<void> => {
    if (clock.rising() - keptMs < UPKEEP_EVERY_MS) return;
    keptMs = clock.rising();
    const idle = [...alive.keys()].filter((each) => !keeping.has(each));
    const rounds = idle.map(async (each) => {
      keeping.add(each);
      await each.desk.upkeep().finally(() => keeping.delete(each));
    });
    await Promise.race([Promise.all(rounds), pause(ASIDE_MS)]);
  };
  const settled = async (): Promise<void> => {
    for (const stream of alive.values()) await heard(stream, clock);
    if (alive.size === 0) await pause(5);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await settled();
      const { pauses } = clock;
      clock.leap(Math.min(STEP_MS, ms - passed));
      clock.ring();
      // Whoever looks pauses again when it has looked.
      for (const end = performance.now() + ASIDE_MS; clock.pauses < pauses && performance.now() < end; ) await pause(2);
      await upkeep();
    }
    await settled();
  };
  return {
    ...{ world, clock, pass, ...others },
    during: async (step) => {
      let isDone = false;
      const done = step.finally(() => {
        isDone = true;
      });
      while (!isDone) await pass(STEP_MS);
      return done;
    },
    process: async (seatOptions = {}) => {
      let isCut = false;
      const relay = await StreamRelay.open(() => (isCut ? NOWHERE : world.sandbox.streamUrl));
      const opened: { stream?: SharedMarketStream } = {};
      const seat = await world.seat({
        ...{ clock, plans: (book) => book, ...seatOptions },
        live: (reader) => {
          const connect = () => new Stream({ url: relay.url, reader, clock: world.clock, random: () => 0 });
          opened.stream = new SharedMarketStream(connect, world.clock);
          return opened.stream;
        },
      });
      const { stream } = opened;
      const { plans } = seat.desk;
      if (stream === undefined || plans === undefined) throw new Error("the desk has no stream, or no plans");
      lines.push({ relay, stream });
      // The exchange names the account.
      await unwrap(seat.desk.balances());
      const made: Process = {
        ...{ ...seat, plans, relay },
        cut: (cut) => {
          isCut = cut;
          if (cut) relay.plan("break");
        },
        kill: () => {
          alive.delete(made);
          seat.kill();
        },
        close: async () => {
          alive.delete(made);
          await seat.close();
        },
      };
      if (seatOptions.endsAfterCommand !== true) alive.set(made, stream);
      return made;
    },
    notices: async () => {
      const account = world.sandbox.accountId;
      const told = await unwrap(world.store.notices.recent({ account, sinceMs: 0, limit: 1_000 }));
      return [...told].reverse();
    },
    close: async () => {
      for (const { stream } of lines) await stream.close();
      await world.close();
      for (const { relay } of lines) await relay.close();
    },
  };
}

/** The plan that was made. */
export function made(report: PlanWriteReport): PlanView & { readonly plan_id: string } {
  const { plan } = report;
  if (report.outcome !== "accepted" || plan === undefined || plan.plan_id === null)
    throw new Error(`not made: ${JSON.stringify(report)}`);
  return { ...plan, plan_id: plan.plan_id };
}

/** The plan as a process shows it now. */
export async function shown({ plans }: Pick<Process, "plans">, planId: string): Promise<PlanView> {
  const { plans: found } = await unwrap(plans.list({ planId, which: "all", limit: 1 }));
  const [plan] = found;
  if (plan === undefined) throw new Error(`there is no plan ${planId}`);
  return plan;
}
