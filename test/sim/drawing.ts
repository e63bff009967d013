/** A plan drawn from a seed: the same seed always draws the same plan. */
import type { OrderRequest } from "../../src/desk/index.ts";
import { withChanges } from "./changes.ts";
import { withCloseCall } from "./close-calls.ts";
import { Draw } from "./draw.ts";
import { withLossLimit } from "./losing.ts";
import {
  type Action,
  type Deal,
  FAULT_KINDS,
  HOUR_MS,
  isFencedIn,
  type Naming,
  type Plan,
  type POINTS,
  type PolicySetting,
  type Setting,
  type Step,
  type StoreName,
  type Trouble,
} from "./plan.ts";
import { withWaiting } from "./plan-drawing.ts";
import { withServerTroubles } from "./server-drawing.ts";
import { withDuplicate } from "./twice.ts";
import { isForeign, type RequestKind, type VenueName } from "./wire.ts";

const TOTAL_MS = 2_000;
const ROOMY = { callsPerSecond: 30, weightPerMinute: 1_200 };
const TIGHT = { callsPerSecond: 6, weightPerMinute: 300 };

/** What goes wrong in a schedule, and how much of it. */
interface Weather {
  readonly faults: number;
  readonly crashes: number;
  readonly stalls: number;
}

type Begun = Pick<Plan, "setting" | "troubles">;

/**
 * Over each API the same is asked for; over the Trading API a little more goes wrong, which only that API can, and at other exchanges no absence
 * is proved.
 */
export function drawPlan(seed: number, venue: VenueName = "open", store: StoreName = "sqlite"): Plan {
  const drawn = drawSetting(new Draw(seed, "setting"));
  const setting = isForeign(venue) ? { ...drawn, fence: false } : drawn;
  const wishes = drawWishes(new Draw(seed, "wishes"));
  const steps = drawSteps(new Draw(seed, "steps"), setting, wishes);
  const lengthMs = steps.at(-1)?.atMs ?? 0;
  const rotation = drawRotation(new Draw(seed, "rotation"), setting, steps);
  const troubles = drawTroubles(new Draw(seed, "troubles"), { setting, troubles: rotation }, lengthMs);
  const plan = { seed, venue, store, setting, wishes, deals: [], steps, troubles };
  const lossy = withLossLimit(new Draw(seed, "loss"), withMore(seed, plan));
  const more = isForeign(venue) ? withDuplicate(new Draw(seed, "twice"), lossy) : lossy;
  const whole = venue === "trading" ? withTradingTroubles(new Draw(seed, "trading"), more) : more;
  const served = store === "postgres" ? withServerTroubles(new Draw(seed, "server"), whole) : whole;
  return withCloseCall(new Draw(seed, "close"), withWaiting(new Draw(seed, "plans"), served));
}

/** What some schedules begin with: at most one such thing each, so that it meets what it needs. */
function withMore(seed: number, plan: Plan): Plan {
  const draw = new Draw(seed, "again");
  if (draw.chance(0.15)) return withAskingAgain(draw, plan);
  const word = new Draw(seed, "settle");
  if (word.chance(0.06)) return withPersonsWord(word, plan);
  const day = new Draw(seed, "day");
  if (day.chance(0.05)) return withLongPauses(day, plan);
  const copy = new Draw(seed, "copy");
  if (copy.chance(0.05)) return withRestoredCopy(copy, plan);
  const money = new Draw(seed, "money");
  const canMove = plan.venue === "open" && !needsPerson(plan.setting.policy);
  if (canMove && money.chance(0.08)) return withTransfers(money, plan);
  const change = new Draw(seed, "change");
  return change.chance(0.2) ? withChanges(change, plan, needsPerson(plan.setting.policy)) : plan;
}

const PAUSES_MS = [2, 11, 23.9, 24.1, 26, 49].map((hours) => hours * HOUR_MS);
const DRAFT_PAUSES_MS = [500_000, 598_000, 602_000, 1_000_000, 25 * HOUR_MS];

/** One that ends at once, for what there is, and may be asked for again and again. */
function executing(wish: OrderRequest): OrderRequest {
  const { price: _price, post_only: _never, time_in_force: _how, ...rest } = nameless(wish);
  if (rest.type === "market" || rest.symbol !== BTC) return nameless(wish);
  return { ...rest, price: rest.side === "buy" ? "151500000" : "148500000", time_in_force: "IOC" };
}

/** The same, with hours between some of its steps: budgets of a day free up, drafts and questions run out, names may be used again. */
function withLongPauses(draw: Draw, { setting, wishes, steps, ...plan }: Plan): Plan {
  const policy = {
    ...setting.policy,
    ...(draw.chance(0.6) ? { maxDay: draw.of([KRW.some, KRW.some, KRW.double]) } : {}),
    ...(draw.chance(0.2) ? { approvalOver: KRW.small } : {}),
  };
  const pausesAt = new Map([0, 1].map(() => [draw.between(1, steps.length - 1), draw.of(PAUSES_MS)] as const));
  let laterMs = 0;
  const paused = steps.map((step, index): Step => {
    laterMs += pausesAt.get(index) ?? 0;
    const action: Action = draw.chance(0.4) ? { type: "place", wish: draw.between(0, wishes.length - 1) } : step.action;
    const pauseMs = action.type === "draft" ? { pauseMs: draw.of(DRAFT_PAUSES_MS) } : {};
    return { ...step, atMs: step.atMs + laterMs, action: { ...action, ...pauseMs } };
  });
  // Rounds of upkeep over days are many, and all the same.
  return {
    ...plan,
    wishes: wishes.map((wish) => (draw.chance(0.7) ? executing(wish) : wish)),
    setting: { ...setting, policy, upkeepMs: 0, isLong: true, rejectsDuplicates: draw.chance(0.5) },
    steps: paused,
  };
}

/** The directory is put back as it was some steps ago; what was asked for since is asked for again, most often once a person has resumed. */
function withRestoredCopy(draw: Draw, { setting, wishes, steps, troubles, ...plan }: Plan): Plan {
  const own = wishes.map((wish, index) => (draw.chance(0.8) ? { ...wish, userref: `wish-${index}` } : wish));
  const copied = draw.between(0, Math.min(2, steps.length - 2));
  const last = draw.between(copied + 1, steps.length - 1);
  const copyMs = (steps[copied]?.atMs ?? 0) + draw.of([0, 60, 100, 140, 200, 600]);
  const atMs = Math.max(copyMs + 1, (steps[last]?.atMs ?? 0) + draw.of([0, 100, 600, 3_000]));
  const downMs = draw.of([0, 20, 2_000]);
  const policy = draw.chance(0.3) ? { ...setting.policy, approvalOver: KRW.none } : setting.policy;
  const yes = { type: "person", says: "yes", way: "pin" } as const;
  const seat = (): number => draw.between(0, setting.keys.length - 1);
  const since = steps.slice(0, last + 1).filter(({ action: { type } }) => type === "place" || type === "draft");
  const asks = needsPerson(policy) ? [{ atMs: Math.max(copyMs + 1, atMs - 50), seat: seat(), action: yes }] : [];
  let laterMs = atMs + downMs + 200;
  const again: Step[] = draw.chance(0.8) ? [{ atMs: laterMs, seat: seat(), action: { type: "resume" } }] : [];
  if (asks.length > 0) again.push({ atMs: laterMs + 100, seat: seat(), action: yes });
  for (const { action } of since) {
    laterMs += draw.of([100, 400, 2_500]);
    again.push({ atMs: laterMs, seat: seat(), action });
  }
  if (asks.length > 0) again.push({ atMs: laterMs + 2_500, seat: seat(), action: yes });
  const before = [...steps.filter((step) => step.atMs < atMs), ...asks].toSorted((a, b) => a.atMs - b.atMs);
  return {
    ...plan,
    setting: { ...setting, policy },
    wishes: own,
    steps: [...before, ...again].toSorted((a, b) => a.atMs - b.atMs),
    troubles: [...troubles, { type: "restore", copyMs, atMs, downMs, isMarked: draw.chance(0.7) }],
  };
}

const TRANSFER_TARGETS = {
  confirmPayment: 30,
  createRemittance: 25,
  refundPayment: 15,
  cancelRemittance: 10,
  payments: 8,
  remittances: 8,
  payment: 4,
  remittance: 3,
  quotePayment: 3,
  remittanceQuote: 3,
} as const satisfies Partial<Record<RequestKind, number>>;

/** The first of its kind has no answer, and then nobody can look for a while. */
function drawLostMovement(draw: Draw, isPayment: boolean): readonly Trouble[] {
  const [endpoint, look] = isPayment
    ? (["confirmPayment", "payments"] as const)
    : (["createRemittance", "remittances"] as const);
  const kind = draw.of([...LOST_IN_EFFECT, "late_reset", "late_reset"] as const);
  const { ms } = drawFault(draw);
  const blind = {
    type: "fault",
    endpoint: look,
    nth: 0,
    times: draw.between(1, 9),
    kind: draw.of(BLIND),
    ms: 0,
  } as const;
  return [{ type: "fault", endpoint, nth: 0, times: 1, kind, ms }, ...(draw.chance(0.6) ? [blind] : [])];
}

/** Besides the orders money is moved: asked for, asked for again, and taken back, over the same trouble and some of its own. */
function withTransfers(draw: Draw, { setting, steps, troubles, ...plan }: Plan): Plan {
  const deals = Array.from({ length: draw.between(1, 2) }, (_, index): Deal => {
    return { kind: draw.of(["payment", "payment", "remittance"]), amount: `${50_000 + 1_000 * index}` };
  });
  const asked: Step[] = [];
  let atMs = 0;
  for (let count = draw.between(3, 7); count > 0; count--) {
    const verb = asked.length === 0 ? "make" : draw.by({ make: 55, back: 30, look: 15 });
    const action = {
      type: "transfer",
      deal: draw.between(0, deals.length - 1),
      verb,
      again: draw.chance(0.5),
    } as const;
    asked.push({ atMs, seat: draw.between(0, setting.keys.length - 1), action });
    atMs += draw.of([0, 30, 400, 2_500, 2_500, 6_000, 30_000]);
  }
  const more = Array.from({ length: draw.between(1, 3) }, (): Trouble => {
    const nth = Math.floor(draw.fraction() ** 2 * 3);
    return { ...drawFault(draw), endpoint: draw.by(TRANSFER_TARGETS), nth };
  });
  const [first] = deals;
  if (draw.chance(0.6)) more.push(...drawLostMovement(draw, first?.kind === "payment"));
  // Asked for again under another quote, as whoever heard nothing does.
  const again = { type: "transfer", deal: 0, verb: "make", again: draw.chance(0.3) } as const;
  const opening = [0, draw.of([0, 40, 400, 2_500])].map((ms) => ({
    atMs: ms,
    seat: draw.between(0, setting.keys.length - 1),
    action: ms === 0 ? ({ ...again, again: false } as const) : again,
  }));
  const policy = { ...setting.policy, maxTransfersKrw: draw.chance(0.3) ? "120000" : KRW.much };
  return {
    ...plan,
    deals,
    setting: { ...setting, policy },
    steps: [...opening, ...asked, ...steps].toSorted((a, b) => a.atMs - b.atMs),
    troubles: [...troubles, ...more],
  };
}

/** An account that no order settles for, answers that contradict themselves, and the exchange's own timer. */
function withTradingTroubles(draw: Draw, plan: Plan): Plan {
  const { setting, steps } = plan;
  const more: Trouble[] = [];
  if (draw.chance(0.15)) more.push({ ...drawFault(draw), kind: "contradicted_after", times: draw.between(1, 2) });
  const hasTimer = draw.chance(0.1);
  if (hasTimer && draw.chance(0.5)) more.push({ ...drawFault(draw), endpoint: "cancelTimer", nth: 0, times: 1 });
  const seat = draw.between(0, setting.keys.length - 1);
  const after = draw.between(0, steps.length - 1);
  const timer: Step = {
    atMs: steps[after]?.atMs ?? 0,
    seat,
    action: { type: "timer", seconds: draw.of([0, 5, 5, 20]) },
  };
  return {
    ...plan,
    setting: { ...setting, krwAccountLinked: !draw.chance(0.03) },
    steps: hasTimer ? steps.toSpliced(after + 1, 0, timer) : steps,
    troubles: [...plan.troubles, ...more],
  };
}

const AFTER_MS = [40, 400, 2_500, 8_000];
/** How far a process comes with its first order: here it is recorded, numbered, on its way, answered. */
const NEAR_SENDING = { answer: [3, 5], send: [3, 5], "journal.write": [0, 3] } as const;

/** First of all somebody asks for an order without a name, the process dies near its sending, and somebody asks for it again. */
function withAskingAgain(draw: Draw, plan: Plan): Plan {
  const { setting, wishes, steps, troubles } = plan;
  const wish = draw.between(0, wishes.length - 1);
  const seat = draw.between(0, setting.keys.length - 1);
  const action = { type: "place", wish } as const;
  const againMs = draw.of(AFTER_MS);
  // By another process, where there is one: it need not wait for the next start of the first.
  const again: Step = { atMs: againMs, seat: (seat + 1) % setting.keys.length, action };
  const point = draw.by({ answer: 5, send: 2, "journal.write": 3 });
  const [first, last] = NEAR_SENDING[point];
  const crash: Trouble = {
    type: "crash",
    seat,
    point,
    nth: draw.between(first, last),
    when: draw.of(["before", "after"]),
    downMs: draw.of([0, 20, 300, 30_000]),
  };
  return {
    ...plan,
    wishes: wishes.map((each, index) => (index === wish ? nameless(each) : each)),
    steps: [{ atMs: 0, seat, action }, again, ...steps.map((step) => ({ ...step, atMs: step.atMs + againMs }))],
    troubles: [...troubles, crash],
  };
}

/** Longer than the desk holds that a request may still be on its way, and shorter. */
const WORD_AFTER_MS = { 4000: 2, 10000: 2, 21000: 7, 60000: 3 };

/** First of all an order gets no answer, nobody can look for a while, and a person says what became of it; it may be asked for again. */
function withPersonsWord(draw: Draw, plan: Plan): Plan {
  const { setting, wishes, steps, troubles } = plan;
  const wish = draw.between(0, wishes.length - 1);
  const seat = draw.between(0, setting.keys.length - 1);
  const wordMs = Number(draw.by(WORD_AFTER_MS)); // not money: a time
  const isRight = draw.chance(0.4);
  const { ms } = drawFault(draw);
  const place = { type: "place", wish } as const;
  const after: Step[] = [
    { atMs: wordMs, seat: draw.between(0, setting.keys.length - 1), action: { type: "settle", wish, isRight } },
  ];
  if (draw.chance(0.6)) after.push({ atMs: wordMs + draw.of([20, 3_000]), seat, action: place });
  const endMs = after.at(-1)?.atMs ?? 0;
  return {
    ...plan,
    steps: [{ atMs: 0, seat, action: place }, ...after, ...steps.map((step) => ({ ...step, atMs: step.atMs + endMs }))],
    troubles: [
      {
        type: "fault",
        endpoint: "createOrder",
        nth: 0,
        times: 1,
        kind: draw.of([...LOST_IN_EFFECT, "lost", "late_reset"]),
        ms,
      },
      { type: "fault", endpoint: "orders", nth: 0, times: draw.between(6, 24), kind: draw.of(BLIND), ms: 0 },
      ...troubles,
    ],
  };
}

function nameless({ userref: _name, ...wish }: OrderRequest): OrderRequest {
  return wish;
}

function drawSetting(draw: Draw): Setting {
  const seats = Number(draw.by({ 1: 35, 2: 50, 3: 15 })); // not money: a count
  const otherKey = seats > 1 && draw.chance(0.06);
  const isSkewed = draw.chance(0.1);
  return {
    keys: Array.from({ length: seats }, (_, seat) => (otherKey && seat === 1 ? 1 : 0)),
    skewsMs: Array.from({ length: seats }, () => (isSkewed ? draw.between(-800, 800) : 0)),
    venueSkewMs: draw.chance(0.3) ? draw.between(-30_000, 30_000) : 0,
    fence: draw.chance(0.88),
    limits: draw.chance(0.07) ? TIGHT : ROOMY,
    lane: draw.chance(0.3)
      ? { leaseWaitMs: TOTAL_MS + 500, leaseMs: TOTAL_MS + 500 }
      : { leaseWaitMs: 400, leaseMs: 400 },
    totalMs: TOTAL_MS,
    looksAtStart: draw.chance(0.3),
    upkeepMs: draw.chance(0.25) ? draw.of([1_000, 4_000]) : 0,
    policy: drawPolicy(draw),
    krwAccountLinked: true,
    isLong: false,
    rejectsDuplicates: false,
    latencyMs: draw.of([3, 20, 20, 150]),
    coarseMs: draw.of([10, 30, 60, 60, 90, 90]),
  };
}

const KRW = { none: "0", small: "300000", some: "900000", double: "1800000", much: "100000000000" };

/** In most schedules the policy lets everything pass; an order counts for some hundred thousand. */
function drawPolicy(draw: Draw): PolicySetting {
  const often = (share: number, tight: string): string => (draw.chance(share) ? tight : KRW.much);
  return {
    mode: draw.chance(0.04) ? "confirm" : "bounded",
    maxOrder: KRW.much,
    maxDay: often(0.1, KRW.some),
    maxOpen: often(0.1, KRW.some),
    maxOpenOrders: draw.chance(0.1) ? draw.between(1, 2) : 1_000,
    maxOrdersPerMinute: draw.chance(0.07) ? draw.between(1, 3) : 1_000,
    approvalOver: often(0.12, draw.of([KRW.none, KRW.small])),
    isPriceBound: draw.chance(0.3),
    maxTransfersKrw: KRW.much,
  };
}

/** Sizes differ, so that two wishes are never taken for the same one by their fields. */
function drawWishes(draw: Draw): readonly OrderRequest[] {
  const count = draw.between(2, 4);
  return Array.from({ length: count }, (_, index) => {
    const own = draw.chance(0.7) ? { userref: `wish-${index}` } : {};
    return { ...drawWish(draw, index), ...own };
  });
}

const BTC = "BTC/KRW";

function drawWish(draw: Draw, index: number): OrderRequest {
  const base_volume = `0.00${index + 1}${draw.between(1, 9)}`;
  const limit = { symbol: BTC, type: "limit", base_volume } as const;
  const buys = draw.chance(0.65);
  const side = buys ? ("buy" as const) : ("sell" as const);
  const crossing = buys ? "150500000" : "149500000";
  const resting = buys ? "147000000" : "153000000";
  switch (
    draw.by({ rest: 34, cross: 24, ioc: 8, fok: 6, post: 8, market: 8, amount: 5, other: 4, refused: 5, misfit: 2 })
  ) {
    case "rest":
      return { ...limit, side, price: resting };
    case "cross":
      return { ...limit, side, price: crossing };
    case "ioc":
      return { ...limit, side, price: crossing, time_in_force: "IOC" };
    case "fok":
      return { ...limit, side, price: crossing, time_in_force: "FOK" };
    case "post":
      return { ...limit, side, price: draw.chance(0.5) ? resting : crossing, post_only: true };
    case "market":
      return { symbol: BTC, side, type: "market", base_volume };
    case "amount":
      return { symbol: BTC, side, type: "market", quote_amount: `${150_000 + 10_000 * index}` };
    case "other":
      return { symbol: "XRP/KRW", side, type: "limit", base_volume: `${10 + index}`, price: buys ? "3000" : "4000" };
    case "refused":
      return { ...limit, side: "buy", base_volume: `${90 + index}`, price: crossing };
    case "misfit":
      return { ...limit, side, price: "100000000.5" };
  }
}

const KINDS = {
  place: 40,
  draft: 5,
  cancel: 11,
  cancel_all: 5,
  look: 6,
  await: 4,
  read: 6,
  reconcile: 2,
  upkeep: 3,
  halt: 3,
  resume: 2,
  timer: 2,
  person: 0,
  maker: 14,
};

function needsPerson({ mode, approvalOver }: PolicySetting): boolean {
  return mode === "confirm" || approvalOver !== KRW.much;
}

const GAPS_MS = { 0: 25, 5: 15, 60: 20, 300: 15, 1500: 12, 6000: 8, 45000: 5 };

function drawSteps(draw: Draw, setting: Setting, wishes: readonly OrderRequest[]): readonly Step[] {
  const steps: Step[] = [];
  const count = draw.between(4, 8);
  let atMs = 0;
  let last: Action | undefined;
  for (let index = 0; index < count; index++) {
    atMs += Number(draw.by(GAPS_MS)); // not money: a time
    const seat = draw.between(0, setting.keys.length - 1);
    // An impatient model asks for the same again.
    const again = last?.type === "place" && draw.chance(0.2) ? last : undefined;
    const action = again ?? drawAction(draw, setting, wishes, index === 0);
    steps.push({ atMs, seat, action });
    last = action;
  }
  return steps;
}

function drawAction(draw: Draw, setting: Setting, wishes: readonly OrderRequest[], isFirst: boolean): Action {
  const wish = draw.between(0, wishes.length - 1);
  const by: Naming = draw.chance(0.6) ? "userref" : "order_id";
  const kind = isFirst
    ? draw.by({ place: 6, maker: 4 })
    : draw.by({ ...KINDS, ...(needsPerson(setting.policy) ? { person: 30 } : {}) });
  switch (kind) {
    case "place":
      return { type: "place", wish };
    case "draft":
      return { type: "draft", wish, times: draw.between(1, 2) };
    case "cancel":
      return { type: "cancel", wish, by };
    case "cancel_all":
      return { type: "cancel_all", ...(draw.chance(0.5) ? { symbol: BTC } : {}) };
    case "look":
      return { type: "look", wish, by };
    case "await":
      return {
        type: "await",
        wish,
        by,
        until: draw.of(["any_fill", "filled", "closed"]),
        timeoutMs: draw.of([500, 4_000]),
      };
    case "read": {
      const times = setting.limits === TIGHT && draw.chance(0.7) ? 12 : 1;
      return { type: "read", what: draw.of(["orders", "balances", "fills", "status", "orderbook"]), times };
    }
    case "reconcile":
    case "upkeep":
    case "halt":
    case "resume":
      return { type: kind };
    case "timer":
      return { type: "timer", seconds: draw.of([0, 5, 20]) };
    case "person":
      return { type: "person", says: draw.by({ yes: 74, no: 20, other: 6 }), way: draw.of(["pin", "client"]) };
    case "maker": {
      const takes = draw.chance(0.4);
      const side = draw.of(["buy", "sell"] as const);
      const [high, low] = takes ? ["200000000", "100000000"] : ["150100000", "149900000"];
      const price = (side === "buy") === takes ? high : low;
      return { type: "maker", symbol: BTC, side, price: price as string, volume: `0.000${draw.between(3, 9)}`, takes };
    }
  }
}

const TARGETS = {
  createOrder: 48,
  orders: 20,
  order: 9,
  cancelOrder: 9,
  cancelBatch: 5,
  accounts: 4,
  time: 3,
  markets: 2,
} as const satisfies Partial<Record<RequestKind, number>>;
const POINT_WEIGHTS: Readonly<Record<(typeof POINTS)[number], number>> = {
  "journal.read": 6,
  "journal.write": 40,
  audit: 6,
  safety: 5,
  lane: 10,
  send: 20,
  answer: 18,
};
const FAULT_MS = [0, 15, 200, 900, 2_500, 12_000, 100_000];

/** In the midst of things: at once when something was asked for, or a little later. */
function drawRotation(draw: Draw, { keys }: Setting, steps: readonly Step[]): readonly Trouble[] {
  if (!draw.chance(0.05)) return [];
  const { atMs } = draw.of(steps);
  const seats = keys.flatMap((_, seat) => (draw.chance(0.6) ? [seat] : []));
  const revokedAfterMs = draw.chance(0.7) ? draw.of([0, 30, 800, 20_000]) : undefined;
  return [{ type: "rotation", atMs: atMs + draw.of([0, 20, 60, 150, 600, 3_000]), seats, revokedAfterMs }];
}

function drawTroubles(draw: Draw, { setting, troubles: begun }: Begun, lengthMs: number): readonly Trouble[] {
  const isFenced = isFencedIn({ setting, troubles: begun });
  const troubles: Trouble[] = [...begun];
  const { faults, crashes, stalls } = drawWeather(draw);
  for (let index = 0; index < faults; index++) troubles.push(drawFault(draw));
  for (let index = 0; index < crashes; index++)
    troubles.push({ type: "crash", ...drawPlace(draw, setting), downMs: draw.of([0, 100, 2_000, 40_000]) });
  for (let index = 0; index < stalls; index++)
    troubles.push({ type: "stall", ...drawPlace(draw, setting), ms: draw.of(isFenced ? [300, 5_000, 90_000] : [300]) });
  const span = (longestMs: number): { readonly fromMs: number; readonly toMs: number } => {
    const fromMs = draw.between(0, lengthMs);
    return { fromMs, toMs: fromMs + draw.between(20, longestMs) };
  };
  if (draw.chance(0.06))
    troubles.push({ type: "outage", ...span(8_000), kind: draw.of(["refused", "lost", "busy", "html"]) });
  if (draw.chance(0.08))
    troubles.push({
      type: "store",
      ...span(4_000),
      kind: draw.by({ disk_full: 6, io_error: 2, busy: 2, audit_unwritable: 3 }),
    });
  if (draw.chance(0.08)) troubles.push(...drawClock(draw, lengthMs));
  if (draw.chance(0.1)) troubles.push(...drawBlindness(draw));
  return troubles;
}

/** Set wrong, and in some schedules right again. */
function drawClock(draw: Draw, lengthMs: number): readonly Trouble[] {
  const atMs = draw.between(0, lengthMs + 500);
  const byMs = draw.of([-3_600_000, -40_000, -700, 700, 40_000, 3_600_000]);
  const wrong: Trouble = { type: "clock", atMs, byMs };
  return draw.chance(0.4) ? [wrong, { type: "clock", atMs: atMs + draw.between(10, 3_000), byMs: -byMs }] : [wrong];
}

const LOST_IN_EFFECT = ["lost_after", "reset_after", "fail_after", "html_after", "garbled_after", "not_http"] as const;
const BLIND = ["reset", "busy", "html", "garbled_after", "refused"] as const;

/** An order took effect and nobody was told; and then nobody can look for a while. */
function drawBlindness(draw: Draw): readonly Trouble[] {
  const { ms } = drawFault(draw);
  return [
    { type: "fault", endpoint: "createOrder", nth: draw.between(0, 1), times: 1, kind: draw.of(LOST_IN_EFFECT), ms },
    {
      type: "fault",
      endpoint: "orders",
      nth: draw.between(0, 1),
      times: draw.between(3, 14),
      kind: draw.of(BLIND),
      ms: 0,
    },
  ];
}

function drawWeather(draw: Draw): Weather {
  return {
    faults: Number(draw.by({ 0: 12, 1: 28, 2: 28, 3: 20, 5: 12 })), // not money: a count
    crashes: Number(draw.by({ 0: 55, 1: 35, 2: 10 })), // not money: a count
    stalls: draw.chance(0.12) ? 1 : 0,
  };
}

function drawFault(draw: Draw): Extract<Trouble, { readonly type: "fault" }> {
  return {
    type: "fault",
    endpoint: draw.by(TARGETS),
    nth: Math.floor(draw.fraction() ** 2 * 6),
    times: draw.chance(0.12) ? draw.between(2, 6) : 1,
    kind: draw.of(FAULT_KINDS),
    ms: draw.of(FAULT_MS),
  };
}

function drawPlace(draw: Draw, setting: Setting) {
  const point = draw.by(POINT_WEIGHTS);
  return {
    seat: draw.between(0, setting.keys.length - 1),
    point,
    nth: Math.floor(draw.fraction() ** 2 * 14),
    when: draw.of(["before", "after"] as const),
  };
}
