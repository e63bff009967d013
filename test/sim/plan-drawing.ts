/** Schedules in which the desk keeps plans: who asks for them, what the market does meanwhile, and what goes wrong near them. */
import type { PlanRequest } from "../../src/desk/index.ts";
import type { Draw } from "./draw.ts";
import { type Action, type Course, HOUR_MS, type Plan, type Step, type Trouble, type Waiting } from "./plan.ts";

const SYMBOL = "BTC/KRW";
/** Where the market stands at first. */
export const MIDDLE = "150000000";
/** Beyond every stop, and beyond every take. */
export const LOW = "146000000";
export const HIGH = "154000000";
const PRICES = ["150000000", "149000000", "148300000", "147500000", LOW, "151000000", "152500000", HIGH];
const SHARE = 0.2;
/** After what the schedule does besides, plans go on for so long. */
const COURSES = { 2: 4, 3: 4, 5: 2 };
const STANDS_MS = [0, 1_200, 1_800, 2_600, 4_500, 9_000, 20_000];
const PAUSES_MS = [200, 1_000, 3_000, 8_000];

/** Whether it can have plans: nothing that begins so already, no days between its steps. */
function isFree({ setting, deals }: Plan): boolean {
  return !setting.isLong && deals.length === 0 && setting.krwAccountLinked;
}

export function withWaiting(draw: Draw, plan: Plan): Plan {
  if (!draw.chance(SHARE) || !isFree(plan)) return plan;
  const { setting, steps, troubles } = plan;
  const seat = (): number => draw.between(0, setting.keys.length - 1);
  const requests = Array.from({ length: draw.between(1, 3) }, () => drawRequest(draw));
  const waiting: Waiting = {
    requests,
    approve: draw.chance(0.4) ? "always" : "bounded",
    stopRemoval: draw.chance(0.6) ? "ask" : "allow",
    finale: draw.chance(0.4) ? draw.of([LOW, LOW, HIGH]) : undefined,
  };
  const asked: Step[] = [course(0, { shape: "stand", price: MIDDLE, forMs: 4_000 })];
  for (const index of requests.keys()) {
    const atMs = 500 + index * draw.of([0, 300, 2_000]);
    const wait: Action = { type: "wait", plan: index };
    asked.push({ atMs, seat: seat(), action: wait });
    // An impatient model asks for the same again, perhaps of another process.
    if (draw.chance(0.3)) asked.push({ atMs: atMs + draw.of([0, 30, 900]), seat: seat(), action: wait });
  }
  asked.push({ atMs: 5_000, seat: seat(), action: { type: "answer", says: draw.chance(0.9) ? "yes" : "no" } });
  const endMs = drawCourses(draw, asked);
  for (let count = draw.between(0, 4); count > 0; count--) {
    const atMs = draw.between(5_500, endMs);
    asked.push({ atMs, seat: seat(), action: drawChange(draw, requests.length) });
    if (draw.chance(0.6)) asked.push({ atMs: atMs + 1_500, seat: seat(), action: { type: "answer", says: "yes" } });
  }
  // While the first piece is on its way.
  if (draw.chance(0.35))
    asked.push({
      ...{ atMs: draw.between(1_200, 4_000), seat: seat() },
      action: { type: "change", plan: 0, action: "pause", by: draw.chance(0.5) ? "assistant" : "person" },
    });
  // What the schedule is besides goes on in between.
  const laterMs = draw.of([1_000, 6_000, 12_000]);
  const besides = steps.map((step): Step => ({ ...step, atMs: step.atMs + laterMs }));
  return {
    ...plan,
    setting: { ...setting, upkeepMs: 1_000 },
    waiting,
    steps: [...asked, ...besides].toSorted((a, b) => a.atMs - b.atMs),
    troubles: [...troubles.map((each) => moved(each, laterMs)), ...drawTroubles(draw, plan, endMs)],
  };
}

export function course(atMs: number, made: Course): Step {
  return { atMs, seat: 0, action: { type: "market", ...made } };
}

/** @returns when they are over */
function drawCourses(draw: Draw, asked: Step[]): number {
  let atMs = draw.of([6_500, 9_000]);
  for (let count = Number(draw.by(COURSES)); count > 0; count--) {
    const shape = draw.by({ stand: 6, print: 3, quotes: 2 });
    const forMs = draw.of(STANDS_MS);
    const price = draw.of(PRICES);
    asked.push(course(atMs, { shape, price, forMs }));
    atMs += forMs + draw.of(PAUSES_MS);
    if (draw.chance(0.5)) {
      asked.push(course(atMs, { shape: "stand", price: MIDDLE, forMs: 1_000 }));
      atMs += draw.of([2_000, 6_000]);
    }
  }
  return atMs;
}

function drawRequest(draw: Draw): PlanRequest {
  const base_volume = `0.0${draw.between(1, 4)}`;
  const stop_price = draw.of(["149000000", "148500000", "148000000", "147000000"]);
  const take_price = draw.of(["151500000", "152000000", "153000000"]);
  const symbol = SYMBOL;
  const limited = draw.chance(0.2);
  const trail = draw.of(["1%", "1.5%", "2000000"]);
  switch (
    draw.by({ stop: 24, slices: 20, take_profit: 12, oco: 20, trailing_stop: 12, recurring: 10, alert: 6, after: 3 })
  ) {
    case "stop":
      return { kind: "stop", symbol, base_volume, stop_price, ...(limited ? { limit_price: stop_price } : {}) };
    case "take_profit":
      return { kind: "take_profit", symbol, base_volume, take_price };
    case "oco":
      return { kind: "oco", symbol, base_volume, take_price, ...(limited ? { trail } : { stop_price }) };
    case "trailing_stop":
      return { kind: "trailing_stop", symbol, base_volume, trail };
    case "recurring": {
      const schedule = `daily ${draw.of(["09:01", "09:02", "08:59"])}`;
      const sells = draw.chance(0.2);
      return {
        ...{ kind: "recurring", symbol, side: sells ? "sell" : "buy", schedule },
        ...(sells ? { base_volume: "0.002" } : { quote_amount: "100000" }),
        ...{ until: "2026-07-23" },
      };
    }
    case "alert":
      return { kind: "alert", symbol, below: stop_price };
    case "after":
      // Its end comes while the schedule goes on.
      return { kind: "stop", symbol, base_volume, stop_price, until: "2026-07-20T09:00:40Z" };
    case "slices": {
      const slices = draw.between(2, 5);
      const duration = `${slices * draw.of([10, 12, 20])}s`;
      const sells = draw.chance(0.3);
      return {
        ...{ kind: "slices", symbol, side: sells ? "sell" : "buy", slices, duration },
        ...(sells ? { base_volume } : { quote_amount: `${slices}00000` }),
        ...(limited ? { limit_price: sells ? "149000000" : "151000000" } : {}),
      };
    }
  }
}

function drawChange(draw: Draw, count: number): Action {
  const kind = draw.by({ change: 10, cancel_all: 1, halt: 1, resume: 2 });
  if (kind === "cancel_all" || kind === "halt" || kind === "resume") return { type: kind };
  return {
    type: "change",
    plan: draw.between(0, count - 1),
    action: draw.by({ pause: 4, resume: 4, cancel: 2 }),
    by: draw.chance(0.5) ? "assistant" : "person",
  };
}

function moved(trouble: Trouble, byMs: number): Trouble {
  switch (trouble.type) {
    case "outage":
    case "store":
      return { ...trouble, fromMs: trouble.fromMs + byMs, toMs: trouble.toMs + byMs };
    case "restore":
      return { ...trouble, copyMs: trouble.copyMs + byMs, atMs: trouble.atMs + byMs };
    case "rotation":
    case "server":
    case "clock":
    case "night":
      return { ...trouble, atMs: trouble.atMs + byMs };
    case "fault":
    case "crash":
    case "stall":
    case "cut":
      return trouble;
    default:
      return trouble satisfies never;
  }
}

/** Later than what the schedule has of its own, as looking at plans passes the same points again and again. */
function drawTroubles(draw: Draw, { setting }: Plan, endMs: number): readonly Trouble[] {
  const troubles: Trouble[] = [];
  const seat = (): number => draw.between(0, setting.keys.length - 1);
  const when = () => draw.of(["before", "after"] as const);
  if (draw.chance(0.4))
    troubles.push({
      ...{ type: "crash", seat: seat(), when: when(), downMs: draw.of([0, 300, 4_000, 40_000]) },
      ...{ point: draw.by({ "journal.write": 6, send: 2, answer: 2 }), nth: draw.between(10, 70) },
    });
  if (draw.chance(0.2))
    troubles.push({
      ...{ type: "stall", seat: seat(), when: when(), ms: draw.of([3_000, 8_000]) },
      ...{ point: draw.by({ "journal.write": 6, send: 2, answer: 2 }), nth: draw.between(10, 70) },
    });
  if (draw.chance(0.1))
    troubles.push({
      type: "night",
      atMs: draw.between(6_000, endMs),
      downMs: draw.of([60_000, 23.5 * HOUR_MS, 26 * HOUR_MS]),
    });
  if (draw.chance(0.15))
    troubles.push({ type: "fault", endpoint: "orderbook", nth: draw.between(2, 8), times: 12, kind: "busy", ms: 0 });
  if (draw.chance(0.15))
    troubles.push({ type: "clock", atMs: draw.between(6_000, endMs), byMs: draw.of([900, 1_900, -900]) });
  return troubles;
}
