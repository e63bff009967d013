/**
 * Schedules that come close to what the orders of plans are kept from, each by one thing that goes wrong at the one moment at which it matters: a process
 * stands still between its look and the claim, a plan is stopped between the claim and the numbering, a budget is set aside meanwhile, or our clock leaps
 * while a price is held. They take the place of what a schedule with plans had drawn.
 */
import type { OrderRequest, PlanRequest } from "../../src/desk/index.ts";
import type { Draw } from "./draw.ts";
import type { Action, Plan, Setting, Step, Trouble, Waiting } from "./plan.ts";
import { course, HIGH, LOW, MIDDLE } from "./plan-drawing.ts";

const SHARE = 0.5;
const SYMBOL = "BTC/KRW";
/** Who looks after the plans: the first that was asked for something. A person is at the other. */
const [LEADER, OTHER] = [0, 1];
const ROOMY = "100000000000";

type Told = Pick<Plan, "waiting" | "steps" | "troubles"> & {
  readonly setting?: Partial<Setting["policy"]>;
  readonly wishes?: Plan["wishes"];
};

export function withCloseCall(draw: Draw, plan: Plan): Plan {
  if (plan.waiting === undefined || !draw.chance(SHARE)) return plan;
  const told = tell(draw);
  const { setting: limits, ...parts } = told;
  const policy = {
    ...plan.setting.policy,
    ...({
      mode: "bounded",
      maxOrder: ROOMY,
      maxDay: ROOMY,
      maxOpen: ROOMY,
      approvalOver: ROOMY,
      isPriceBound: false,
    } as const),
    ...{ maxOpenOrders: 1_000, maxOrdersPerMinute: 10_000 },
    ...limits,
  };
  const { maxDayLoss: _unlimited, ...bounded } = policy;
  const setting = { ...plan.setting, keys: [0, 0], skewsMs: [0, 0], latencyMs: 20, upkeepMs: 1_000, policy: bounded };
  return { ...plan, setting, ...parts, steps: [...told.steps].sort((a, b) => a.atMs - b.atMs) };
}

function tell(draw: Draw): Told {
  switch (draw.by({ claim: 4, begin: 3, reserve: 3, clock: 2, blind: 2 })) {
    case "claim":
      return frozenBeforeClaim(draw);
    case "begin":
      return stoppedBeforeBegin(draw);
    case "reserve":
      return setAsideBeforeBegin(draw);
    case "clock":
      return clockLeaps(draw);
    case "blind":
      return blindBehindTrigger(draw);
  }
}

/** A plan of a protection, and which way the market has to go for it to sell. */
function drawProtection(draw: Draw): { readonly request: PlanRequest; readonly beyond: string } {
  const base_volume = `0.0${draw.between(1, 4)}`;
  const [stop_price, take_price] = ["148000000", "152000000"];
  const of = { symbol: SYMBOL, base_volume };
  switch (draw.by({ stop: 4, take_profit: 2, oco: 3, trailing_stop: 2 })) {
    case "stop":
      return { request: { kind: "stop", ...of, stop_price }, beyond: LOW };
    case "take_profit":
      return { request: { kind: "take_profit", ...of, take_price }, beyond: HIGH };
    case "oco":
      return { request: { kind: "oco", ...of, stop_price, take_price }, beyond: draw.of([LOW, HIGH]) };
    case "trailing_stop":
      return { request: { kind: "trailing_stop", ...of, trail: "1%" }, beyond: LOW };
  }
}

function waitingFor(draw: Draw, request: PlanRequest): Waiting {
  return {
    ...{ requests: [request], approve: draw.of(["always", "bounded"]), stopRemoval: draw.of(["ask", "allow"]) },
    finale: draw.chance(0.3) ? LOW : undefined,
  };
}

function step(atMs: number, seat: number, action: Action): Step {
  return { atMs, seat, action };
}

function changed(action: "pause" | "resume" | "cancel"): Action {
  return { type: "change", plan: 0, action, by: "person" };
}

/** The market where it was, the plan asked for and approved. */
function opening(): readonly Step[] {
  return [
    course(0, { shape: "stand", price: MIDDLE, forMs: 6_000 }),
    step(500, LEADER, { type: "wait", plan: 0 }),
    step(3_000, LEADER, { type: "answer", says: "yes" }),
    step(3_500, OTHER, { type: "upkeep" }),
  ];
}

/** Whoever looks has seen the market at the price, and stands still before it claims; a person stops the plan and starts it again, or another process claims. */
function frozenBeforeClaim(draw: Draw): Told {
  const { request, beyond } = drawProtection(draw);
  const away = draw.chance(0.85);
  const steps = [...opening(), course(7_000, { shape: "stand", price: beyond, forMs: away ? 4_500 : 20_000 })];
  if (away) {
    const pauseMs = draw.between(12_500, 14_000);
    const resumeMs = draw.between(19_500, 21_000);
    steps.push(course(12_000, { shape: "stand", price: MIDDLE, forMs: 20_000 }));
    steps.push(step(pauseMs, OTHER, changed("pause")), step(resumeMs, OTHER, changed("resume")));
  }
  const stall: Trouble = { type: "stall", seat: LEADER, point: "claim", nth: 0, when: "before", ms: 0 };
  return {
    waiting: waitingFor(draw, request),
    steps,
    troubles: [{ ...stall, ms: draw.between(13_000, 20_000) }],
  };
}

/** The step is claimed, and the plan stopped before its request is numbered. */
function stoppedBeforeBegin(draw: Draw): Told {
  const sells = draw.chance(0.6);
  const { request, beyond } = drawProtection(draw);
  const pieces: PlanRequest = {
    ...{ kind: "slices", symbol: SYMBOL, side: "buy", slices: 3, duration: "36s", quote_amount: "300000" },
  };
  const steps = [...opening(), course(7_000, { shape: "stand", price: sells ? beyond : MIDDLE, forMs: 20_000 })];
  // The claim comes when the price has stood, or the first piece is due.
  const stopMs = draw.between(11_500, 13_500);
  switch (draw.by({ pause: 4, cancel: 3, halt: 3 })) {
    case "pause":
      steps.push(step(stopMs, OTHER, changed("pause")));
      break;
    case "cancel":
      steps.push(step(stopMs, OTHER, changed("cancel")));
      break;
    case "halt":
      steps.push(step(stopMs, OTHER, { type: "halt" }), step(stopMs + 1_000, OTHER, { type: "resume" }));
      break;
  }
  const at = draw.of([
    { point: "claim", when: "after" },
    { point: "begin", when: "before" },
  ] as const);
  const troubles: Trouble[] = [{ type: "stall", seat: LEADER, nth: 0, ...at, ms: draw.between(5_000, 9_000) }];
  return { waiting: waitingFor(draw, sells ? request : pieces), steps, troubles };
}

/** An order by hand is judged; before it is numbered a plan sets aside what it would take. */
function setAsideBeforeBegin(draw: Draw): Told {
  const request: PlanRequest = {
    ...{ kind: "slices", symbol: SYMBOL, side: "buy", slices: 5, duration: "60s", quote_amount: "500000" },
  };
  const wish: OrderRequest = {
    ...{ symbol: SYMBOL, side: "buy", type: "limit", price: "147000000", userref: "wish-0" },
    base_volume: `0.004${draw.between(1, 9)}`,
  };
  const placedMs = draw.between(3_000, 4_000);
  const waitMs = placedMs + draw.between(400, 1_000);
  return {
    waiting: { ...waitingFor(draw, request), approve: "bounded" },
    setting: { maxDay: "900000" },
    wishes: [wish],
    steps: [
      course(0, { shape: "stand", price: MIDDLE, forMs: 20_000 }),
      step(500, LEADER, { type: "upkeep" }),
      step(placedMs, OTHER, { type: "place", wish: 0 }),
      step(waitMs, LEADER, { type: "wait", plan: 0 }),
    ],
    troubles: [{ type: "stall", seat: OTHER, point: "begin", nth: 0, when: "before", ms: 2_300 }],
  };
}

/** The market is at the price for less than two seconds, and our clock is set ahead or drifts meanwhile; some times. */
function clockLeaps(draw: Draw): Told {
  const { request, beyond } = drawProtection(draw);
  const steps = [...opening()];
  const troubles: Trouble[] = [];
  let atMs = 7_000;
  for (let dips = draw.between(3, 5); dips > 0; dips--) {
    const forMs = draw.of([1_000, 1_500, 1_500]);
    steps.push(course(atMs, { shape: "stand", price: beyond, forMs }));
    steps.push(course(atMs + forMs + 250, { shape: "stand", price: MIDDLE, forMs: 6_000 }));
    troubles.push({ type: "clock", atMs: atMs + draw.between(300, 900), byMs: draw.of([1_900, 2_500, 4_000, 4_000]) });
    atMs += draw.between(12_500, 16_000);
  }
  return { waiting: waitingFor(draw, request), steps, troubles };
}

/** The market has stood at the price, and no order could be claimed; when the exchange can be asked again the market is elsewhere. */
function blindBehindTrigger(draw: Draw): Told {
  const { request, beyond } = drawProtection(draw);
  const blindMs = draw.between(12_000, 12_800);
  const seeingMs = blindMs + draw.between(6_500, 13_000);
  return {
    waiting: waitingFor(draw, request),
    steps: [
      ...opening(),
      course(7_000, { shape: "stand", price: beyond, forMs: 6_500 }),
      course(14_000, { shape: "stand", price: MIDDLE, forMs: 16_000 }),
    ],
    troubles: [
      { type: "store", fromMs: 7_500, toMs: blindMs + 500, kind: "audit_unwritable" },
      { type: "outage", fromMs: blindMs, toMs: seeingMs, kind: draw.of(["refused", "busy", "lost"]) },
    ],
  };
}
