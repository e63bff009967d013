/**
 * The one who asks: takes the steps of the plan when their time comes, each at the process of its seat, and remembers what it was
 * told. What a dead process would have answered is never heard.
 */
import type {
  ApprovalRequest,
  CancelAllReport,
  Desk,
  HaltReport,
  OrderName,
  OrderRequest,
  WriteReport,
} from "../../src/desk/index.ts";
import { approveShown, sealShown } from "../fixture/person.ts";
import type { Departure } from "./network.ts";
import { type Action, clockErrorMs, DAY_MS, type Naming, type Plan, type Step } from "./plan.ts";
import { PlanScript } from "./plan-script.ts";
import type { SimProcess } from "./process.ts";
import type { Occupant } from "./seat.ts";
import type { Trace } from "./trace.ts";
import { TransferScript } from "./transfer-script.ts";
import type { SimVenue } from "./venue.ts";
import type { Watch } from "./watch.ts";

/** Something a desk said about one order. */
export interface Told {
  readonly by: "place" | "cancel" | "cancel_all" | "look" | "settle";
  readonly userref: string | undefined;
  readonly orderId: string | undefined;
  readonly outcome: WriteReport["outcome"] | undefined;
  readonly state: WriteReport["state"];
  /** The requests that had left by then: all of its own, and of others those before it stood still, as no look can come after the last one. */
  readonly departed: readonly Departure[];
}

/** One asking for a wish. `end`: whether what became of it was told; undefined while nobody has answered. */
interface Ask {
  readonly by: SimProcess;
  readonly atMs: number;
  end: "told" | "nothing" | undefined;
}

const DRAFT_HOLDS_MS = 600_000;

interface Known {
  userref?: string | undefined;
  orderId?: string | undefined;
}

export interface ScriptParts {
  readonly venue: SimVenue;
  readonly plan: Plan;
  /** In true time. */
  readonly now: () => number;
  /** Who runs at a seat, or did last. */
  readonly occupantOf: (seat: number) => Occupant | undefined;
  readonly watch: Watch;
  readonly trace: Trace | undefined;
}

export class Script {
  readonly told: Told[] = [];
  /** How many orders were wanted of each wish: who asks again for what they heard nothing of still wants the one. */
  readonly asked = new Map<number, number>();
  readonly transfers: TransferScript;
  readonly plans: PlanScript;
  readonly #asks = new Map<number, Ask[]>();
  /** Steps that ended in an error, which none may. */
  readonly thrown: string[] = [];
  readonly #parts: ScriptParts;
  readonly #known = new Map<number, Known>();
  readonly #running = new Set<SimProcess>();
  readonly #counts = new Map<SimProcess, number>();

  constructor(parts: ScriptParts) {
    this.#parts = parts;
    this.transfers = new TransferScript(parts.plan.deals);
    this.plans = new PlanScript(parts.plan.waiting);
  }

  /** Whether nothing that a living process was asked for is still to be answered. */
  get isIdle(): boolean {
    for (const process of this.#running) if (process.alive) return false;
    return true;
  }

  take({ seat: index, action }: Step): void {
    const { occupantOf, trace, venue } = this.#parts;
    if (action.type === "maker") {
      const became = venue.make(action);
      trace?.say("maker", `${action.side} ${action.volume} at ${action.price}: ${became}`);
      return;
    }
    // Others make it, tick by tick.
    if (action.type === "market") return;
    const occupant = occupantOf(index);
    if (occupant?.process.alive !== true) {
      trace?.say(`p${index}`, `is down; nobody takes ${action.type}`);
      return;
    }
    const { process, desk } = occupant;
    trace?.say(process.name, `is asked to ${worded(action)}`);
    this.follow(process, worded(action), this.#act(desk, process, action));
  }

  /** A person has compared everything with the exchange. */
  compared(): void {
    for (const asks of this.#asks.values()) for (const each of asks) each.end ??= "told";
    for (const asks of this.#asks.values()) for (const each of asks) if (each.end === "nothing") each.end = "told";
  }

  /** Keeps the schedule going until the work ends or its process does. */
  follow(process: SimProcess, what: string, work: Promise<string>): void {
    const { trace } = this.#parts;
    this.#count(process, 1);
    work.then(
      (said) => {
        this.#count(process, -1);
        if (process.alive) trace?.say(process.name, `says to ${what}: ${said}`);
      },
      (error: unknown) => {
        this.#count(process, -1);
        if (!process.alive) return;
        this.thrown.push(`${what}: ${String(error)}`);
        trace?.say(process.name, `fails at ${what}: ${error instanceof Error ? error.stack : String(error)}`);
      },
    );
  }

  #count(process: SimProcess, by: 1 | -1): void {
    const count = (this.#counts.get(process) ?? 0) + by;
    this.#counts.set(process, count);
    if (count === 0) this.#running.delete(process);
    else this.#running.add(process);
  }

  async #act(desk: Desk, process: SimProcess, action: Exclude<Action, { type: "maker" | "market" }>): Promise<string> {
    switch (action.type) {
      case "place":
        return this.#place(process, action.wish, (request) => desk.place(request));
      case "draft":
        return this.#draft(desk, process, action);
      case "cancel":
        return this.#named(action, async (name) => {
          const report = await desk.cancel(name);
          if (process.alive && report.outcome !== "unknown") this.#heardOf(action.wish);
          return this.#heard(process, "cancel", report);
        });
      case "replace":
        return this.#named(action, (name) => this.#replaced(desk, process, name, action));
      case "cancel_all":
        return this.#emptied(process, desk, action.symbol);
      case "look":
        return this.#named(action, async (name) => this.#looked(process, action.wish, await desk.order(name)));
      case "await":
        return this.#named(action, async (name) =>
          this.#looked(
            process,
            action.wish,
            await desk.awaitOrder({ ...name, until: action.until, timeoutMs: action.timeoutMs }),
          ),
        );
      case "read":
        return (await Promise.all(Array.from({ length: action.times }, () => read(desk, action.what)))).join(" ");
      case "reconcile":
        return JSON.stringify(await desk.reconcile());
      case "upkeep":
        return JSON.stringify(await desk.upkeep());
      case "person":
        return this.#answered(desk, process, action);
      case "settle":
        return this.#settled(desk, process, action);
      case "transfer":
        return this.transfers.take(desk, process, action);
      case "wait":
      case "answer":
      case "change":
        return this.plans.take(desk, process, action);
      case "halt":
        return this.#halted(process, await desk.halt("simulated", "a person"));
      case "resume":
        return this.#resumed(desk);
      case "timer":
        return okWord(await desk.setCancelTimer(action.seconds));
      default:
        return action satisfies never;
    }
  }

  async #place(
    process: SimProcess,
    wish: number,
    place: (request: Parameters<Desk["place"]>[0]) => Promise<WriteReport>,
  ): Promise<string> {
    const ask = this.#ask(wish, process);
    const report = await place(this.#parts.plan.wishes[wish] as Parameters<Desk["place"]>[0]);
    if (process.alive) this.#answer(wish, ask, report);
    if (process.alive && report.outcome !== "not_sent") {
      const { userref, order } = report;
      this.#known.set(wish, { userref, orderId: order?.orderId });
    }
    return this.#heard(process, "place", report);
  }

  #ask(wish: number, process: SimProcess): Ask {
    const { now, plan } = this.#parts;
    const before = this.#asks.get(wish) ?? [];
    // Who asks again after a day wants another one.
    const lately = now() - DAY_MS + clockErrorMs(plan);
    // Two at the same time are two, whatever was before.
    const isBeside = before.some(({ end, by }) => end === undefined && by.alive);
    const isRepeated =
      !isBeside &&
      before.some(({ end, by, atMs }) => atMs > lately && (end === "nothing" || (end === undefined && !by.alive)));
    const ask: Ask = { by: process, atMs: now(), end: undefined };
    this.#asks.set(wish, [...before, ask]);
    if (!isRepeated) this.asked.set(wish, (this.asked.get(wish) ?? 0) + 1);
    return ask;
  }

  /** Whoever heard what became of the wish may want it again; not of one that is still being answered by somebody alive. */
  #answer(wish: number, ask: Ask, { outcome, error }: WriteReport): void {
    const isOther = outcome === "not_sent" && error !== undefined && error.code !== "ELocal:Not placed";
    const isTwin = error?.code === "ELocal:Twin unresolved";
    ask.end = outcome === "unknown" || isTwin ? "nothing" : "told";
    // A refusal for a reason of its own says nothing about the one before.
    if (ask.end === "told" && !isOther) this.#heardOf(wish);
  }

  #heardOf(wish: number): void {
    for (const each of this.#asks.get(wish) ?? []) if (each.end === "nothing" || !each.by.alive) each.end = "told";
  }

  async #draft(desk: Desk, process: SimProcess, action: Extract<Action, { type: "draft" }>): Promise<string> {
    const wish = this.#parts.plan.wishes[action.wish] as Parameters<Desk["preview"]>[0];
    const preview = await desk.preview(wish);
    if (!preview.ok) return preview.fault.code;
    const { draft_id } = preview.value;
    if (draft_id === undefined) return `no draft: ${preview.value.problems.map(({ code }) => code).join(", ")}`;
    const { pauseMs = 0 } = action;
    if (pauseMs > 0) await process.clock.sleep(pauseMs);
    const isOver = pauseMs > DRAFT_HOLDS_MS + clockErrorMs(this.#parts.plan);
    const once = (): Promise<string> =>
      this.#place(process, action.wish, async () => {
        const report = await desk.place({ draft_id });
        if (isOver && report.outcome !== "not_sent" && process.alive)
          this.#parts.watch.notice("a draft holds for a while", `${draft_id} was placed after ${pauseMs} ms`);
        return report;
      });
    return (await Promise.all(Array.from({ length: action.times }, once))).join("; ");
  }

  /** Who has changed an order means the new one from then on. */
  async #replaced(
    desk: Desk,
    process: SimProcess,
    name: OrderName,
    { wish, price, base_volume }: Extract<Action, { type: "replace" }>,
  ): Promise<string> {
    const change = { ...(price === undefined ? {} : { price }), ...(base_volume === undefined ? {} : { base_volume }) };
    const report = await desk.replace({ ...name, ...change });
    const { userref, order, replaced } = report;
    if (process.alive && order !== undefined && report.outcome === "accepted")
      this.#known.set(wish, { userref, orderId: order.orderId });
    if (replaced !== undefined) {
      const { order_id: orderId, state } = replaced;
      if (process.alive && report.outcome !== "unknown") this.#heardOf(wish);
      this.#tell(process, { by: "cancel", userref: undefined, orderId, outcome: undefined, state });
    }
    return `${this.#heard(process, "place", report)}; the old one ${replaced?.state ?? "-"}`;
  }

  /** Does something to an order whose name is known, or can be: a wish has its own, or one that was told. */
  async #named(
    { wish, by }: { readonly wish: number; readonly by: Naming },
    act: (name: OrderName) => Promise<string>,
  ): Promise<string> {
    const known = this.#known.get(wish);
    const userref = this.#parts.plan.wishes[wish]?.userref ?? known?.userref;
    if (by === "order_id" && known?.orderId !== undefined) return act({ orderId: known.orderId });
    return userref === undefined ? "nothing: it has no name" : act({ userref });
  }

  /** A person looks at what waits, and answers it one by one. */
  async #answered(
    desk: Desk,
    process: SimProcess,
    { says, way }: Extract<Action, { type: "person" }>,
  ): Promise<string> {
    const { watch, plan } = this.#parts;
    const { wishes } = plan;
    const waiting = await desk.pending();
    if (!waiting.ok) return waiting.fault.code;
    const said: string[] = [];
    for (const asked of waiting.value.pending) {
      const { intent_id, order } = asked;
      if (says === "yes") watch.approving(intent_id, order);
      // On a terminal there are no arguments that could be another's; of a change they are not among the wishes.
      if ((way === "pin" || asked.replaces !== undefined) && says !== "other") {
        said.push(await this.#atTerminal(desk, process, intent_id, says));
        continue;
      }
      const request = wishes.find((wish) => isAskedBy(order, wish));
      const sealed = request === undefined ? undefined : await sealShown(desk, intent_id, request);
      const brought = says === "other" ? wishes.find((wish) => wish !== request) : request;
      if (request === undefined || brought === undefined || sealed?.ok !== true) said.push("not sealed");
      else {
        const answer = { seal: sealed.value, said: says === "no" ? "no" : "yes", request: brought } as const;
        const report = await desk.answerApproval(answer);
        const isDenied = says === "no" && report.state === "denied" && report.intent_id === intent_id;
        if (process.alive && isDenied) watch.denied(intent_id);
        if (process.alive && report.outcome !== "unknown") this.#heardOf(wishes.indexOf(request));
        said.push(this.#heard(process, "place", report));
      }
    }
    return said.length === 0 ? "nothing waits" : said.join("; ");
  }

  async #atTerminal(desk: Desk, process: SimProcess, intentId: string, says: "yes" | "no"): Promise<string> {
    if (says === "yes") return this.#heard(process, "place", await approveShown(desk, intentId));
    const ended = await desk.deny(intentId);
    if (!ended.ok) return `no, but ${ended.fault.code}`;
    if (process.alive && ended.value.state === "denied") this.#parts.watch.denied(intentId);
    return this.#heard(process, "place", ended.value);
  }

  /** A person looks at the exchange itself and gives their word; who is wrong denies an order that is there, or names one that is not it. */
  /** A person reads what is shown to them, and goes on without it where the exchange cannot be asked. */
  async #resumed(desk: Desk): Promise<string> {
    const list = await desk.sinceCopy();
    const shown = list.ok ? list.value?.digest : undefined;
    return (await desk.resume("a person", { shown, unseen: true })).resumed ? "resumed" : "not resumed";
  }

  async #settled(desk: Desk, process: SimProcess, action: Extract<Action, { type: "settle" }>): Promise<string> {
    const { venue, watch, plan } = this.#parts;
    const userref = plan.wishes[action.wish]?.userref ?? this.#known.get(action.wish)?.userref;
    if (userref === undefined) return "nothing: it has no name";
    const orders = venue.orders();
    const own = orders.find((order) => order.userref === userref);
    const shown = action.isRight ? own : own === undefined ? orders.find((order) => order !== own) : undefined;
    const placed = action.isRight ? own !== undefined : own === undefined;
    const named = placed ? { orderId: shown?.orderId ?? "none-of-this-id" } : {};
    const taken = watch.wordsTaken();
    const settled = await desk.settle(userref, { placed, by: "a person", ...named });
    if (!placed && watch.wordsTaken() > taken) watch.noteWord(userref);
    if (!settled.ok) return settled.fault.code;
    if (process.alive && settled.value.outcome !== "unknown") this.#heardOf(action.wish);
    return this.#heard(process, "settle", settled.value);
  }

  #halted(process: SimProcess, report: HaltReport): string {
    if (process.alive) this.#parts.watch.halted(report);
    const { brake, unresolved } = report;
    return `brake ${brake}, ${unresolved.length} unresolved, ${this.#heardAll(process, report)}`;
  }

  #heard(process: SimProcess, by: Told["by"], { outcome, state, userref, order, error }: WriteReport): string {
    this.#tell(process, { by, userref, orderId: order?.orderId, outcome, state });
    return `${outcome} ${state} ${userref ?? "-"} ${order?.orderId ?? "-"} ${error?.code ?? ""}`.trimEnd();
  }

  #tell(process: SimProcess, told: Omit<Told, "departed">): void {
    if (!process.alive) return;
    const { departures } = this.#parts.watch;
    const knewUntilMs = process.stoodSinceMs ?? Number.POSITIVE_INFINITY;
    const departed = departures.filter(({ atMs, process: sender }) => atMs <= knewUntilMs || sender === process.name);
    this.told.push({ ...told, departed });
  }

  /** What was open when it was asked for, and is open when none is said to remain, was not looked at. */
  async #emptied(process: SimProcess, desk: Desk, symbol: string | undefined): Promise<string> {
    const { venue, watch } = this.#parts;
    const open = () => venue.openOrders().filter((order) => symbol === undefined || order.symbol === symbol);
    const before = new Set(open().map(({ orderId }) => orderId));
    const report = await desk.cancelAll(symbol);
    const still = open().filter(({ orderId }) => before.has(orderId));
    if (process.alive && report.remaining === 0 && still.length > 0)
      watch.notice(
        "none remains where none is said to",
        `${still.length} orders of ${symbol ?? "all markets"} are open`,
      );
    return this.#heardAll(process, report);
  }

  #heardAll(process: SimProcess, { outcome, results, remaining, error }: CancelAllReport): string {
    for (const { orderId, state } of results)
      this.#tell(process, { by: "cancel_all", userref: undefined, orderId, outcome: undefined, state });
    const items = results.map(({ orderId, state }) => `${orderId} ${state}`).join(", ");
    return `${outcome}, ${remaining} remain: ${items} ${error?.code ?? ""}`.trimEnd();
  }

  #looked(process: SimProcess, wish: number, answer: Awaited<ReturnType<Desk["order"]>>): string {
    if (!answer.ok) return answer.fault.code;
    const { state, userref, order } = answer.value;
    if (process.alive && state !== "unknown") this.#heardOf(wish);
    this.#tell(process, { by: "look", userref, orderId: order?.orderId, outcome: undefined, state });
    return `${state} ${userref ?? "-"} ${order?.orderId ?? "-"}`;
  }
}

function isAskedBy(order: ApprovalRequest["order"], wish: OrderRequest): boolean {
  const { symbol, side, base_volume, quote_amount } = wish;
  return (
    order.symbol === symbol && order.side === side && order.volume === base_volume && order.amount === quote_amount
  );
}

async function read(desk: Desk, what: Extract<Action, { type: "read" }>["what"]): Promise<string> {
  switch (what) {
    case "orders":
      return okWord(await desk.orders({ state: "all" }));
    case "balances":
      return okWord(await desk.balances());
    case "fills":
      return okWord(await desk.fills({}));
    case "orderbook":
      return okWord(await desk.orderbook("BTC/KRW"));
    case "status":
      return (await desk.status()).venue;
    default:
      return what satisfies never;
  }
}

function okWord(answer: { readonly ok: boolean; readonly fault?: { readonly code: string } }): string {
  return answer.ok ? "ok" : (answer.fault?.code ?? "failed");
}

function worded(action: Action): string {
  const { type, ...rest } = action;
  return `${type} ${Object.values(rest).join(" ")}`.trimEnd();
}
