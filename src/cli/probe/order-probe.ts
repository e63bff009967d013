/**
 * One small order at an exchange, from a person's yes to its cancel: placed by the desk like any other, found by both ids, canceled, found again.
 *
 * Invariants: the desk places and cancels it, under policy, approval and journal; nothing here sends anything. What was placed is canceled however
 * the looks end, also when the command is interrupted.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-2.
 */
import { randomBytes } from "node:crypto";
import type { Profile } from "../../config/index.ts";
import type { Market } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { createIds, type OrderRequest, type WriteReport } from "../../desk/index.ts";
import { questionText } from "../../mcp/index.ts";
import { systemClock } from "../../transport/index.ts";
import { assetsOf, orderWords, titleOf } from "../../words/index.ts";
import type { Ask } from "../commands/pin-prompt.ts";
import { provePin } from "../commands/pin-prompt.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import { EXIT, exitCodeOf, unwrap } from "../failure.ts";
import type { Invocation, StopSignal } from "../invocation.ts";
import { reportText } from "../text/report-text.ts";
import { canceledLooks, type Placed, visibleLooks } from "./order-looks.ts";
import { type OrderPlan, orderPlan } from "./order-plan.ts";
import { probeSay } from "./probe-words.ts";
import type { ProbedVenue } from "./probed-venue.ts";
import type { ReadProbe } from "./read-probe.ts";
import type { Finding } from "./read-steps.ts";
import { type EndedStep, ended, hasPassed, Listening } from "./run-steps.ts";

interface OrderProbe {
  readonly passed: boolean;
  readonly steps: readonly EndedStep[];
}

export interface OrderProbeParts {
  readonly run: Invocation;
  readonly profile: Profile;
  readonly read: ReadProbe;
  readonly ask: Ask;
  readonly sell: boolean;
  readonly tell: (step: EndedStep, card: ReadProbe["card"]) => void;
}

/** @returns undefined where nothing was placed */
export async function orderProbe(parts: OrderProbeParts): Promise<OrderProbe | undefined> {
  const { run, profile, sell } = parts;
  const listening = new Listening();
  // Opened anew: what was read a moment ago counts for what the desk may place.
  const composition = composeCommand(run, profile, false, { onEvent: listening.onEvent });
  try {
    await composition.open();
    const round = new OrderRound(parts, composition, await composition.probed(), listening);
    const bought = await round.go("buy");
    if (!sell || bought === undefined || !hasPassed(round.steps)) return bought;
    return (await round.go("sell")) ?? bought;
  } finally {
    await composition.close();
  }
}

/** Letters of an id that are kept: enough to find it again in the log. */
const ID_SHOWN = 6;
type NamedOrder = OrderRequest & { readonly userref: string };

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

class OrderRound {
  readonly steps: EndedStep[] = [];
  readonly #parts: OrderProbeParts;
  readonly #composition: Composition;
  readonly #venue: ProbedVenue;
  readonly #listening: Listening;

  constructor(parts: OrderProbeParts, composition: Composition, venue: ProbedVenue, listening: Listening) {
    this.#parts = parts;
    this.#composition = composition;
    this.#venue = venue;
    this.#listening = listening;
  }

  async go(side: OrderPlan["side"]): Promise<OrderProbe | undefined> {
    const request = await this.#request(side);
    if (request === undefined || !(await this.#shown(request))) return undefined;
    const { run, ask, read } = this.#parts;
    await provePin(run, this.#composition, ask);
    this.#listening.take();
    const stop = new AbortController();
    const onStop = (): void => stop.abort();
    for (const signal of STOP_SIGNALS) run.io.signals.once(signal, onStop);
    try {
      const report = await this.#placed(request);
      if (report === undefined) return undefined;
      const placed = { ...request, orderId: report.order?.orderId, answeredAtMs: systemClock.rising() };
      try {
        if (report.outcome === "accepted") await this.#looks(placed, stop.signal);
      } finally {
        await this.#canceled(placed, read.card.visible_after_ms);
      }
      const passed = hasPassed(this.steps);
      if (!passed) run.exitCode = EXIT.failed;
      return { passed, steps: this.steps };
    } finally {
      for (const signal of STOP_SIGNALS) run.io.signals.off(signal, onStop);
    }
  }

  async #request(side: OrderPlan["side"]): Promise<NamedOrder | undefined> {
    const { run, read } = this.#parts;
    const market = read.market as Market;
    const plan = orderPlan(market, unwrap(await this.#venue.orderbook(market.symbol, 15)), side);
    const say = probeSay(run.words);
    if (plan === undefined) return this.#not(say("probe.book.empty", { symbol: market.symbol }));
    if (side === "sell") {
      const { balances } = unwrap(await this.#venue.accounts());
      const held = balances.find(({ asset }) => asset === market.base)?.available ?? "0";
      if (quantity(held).lt(quantity(plan.volume))) return this.#not(say("probe.no_coins", { asset: market.base }));
    }
    const userref = createIds(systemClock, randomBytes).userref();
    const { symbol, price, volume } = plan;
    return { symbol, side, type: "limit", price, base_volume: volume, post_only: true, userref };
  }

  #not(why: string): undefined {
    const { run } = this.#parts;
    run.exitCode = EXIT.failed;
    run.out.notice(`${probeSay(run.words)("probe.order.not")}${why}`);
    return undefined;
  }

  /** Says what will happen, before the PIN is asked for. @returns false where the desk would not place it */
  async #shown(request: NamedOrder): Promise<boolean> {
    const { run, read, profile } = this.#parts;
    const { out, words } = run;
    const say = probeSay(words);
    const { desk } = this.#composition;
    const preview = unwrap(await desk.preview(request));
    const stake = words.say(desk.environment === "live" ? "approval.stake_live" : "approval.stake_sandbox");
    const { value } = preview.policy ?? {};
    const lines = [
      say("probe.order.head", { exchange: titleOf(read.card, words), profile: profile.name, stake }),
      say("probe.order.places", { order: orderWords({ ...request, volume: request.base_volume }, words) }),
      ...(value === undefined ? [] : [say("probe.order.value", { value: words.amount(value, desk.unit) })]),
      ...[say("probe.order.looks"), say("probe.order.cancels"), say("probe.order.risk")],
      ...preview.warnings.map((text) => words.say("told.warning", { text: words.told(text) })),
    ];
    out.writeError(`${lines.join("\n")}\n`);
    if (preview.valid) return true;
    const [problem] = preview.problems;
    run.exitCode = exitCodeOf("not_sent", "denied", problem?.code);
    this.#tellNot(preview.problems.map(({ message }) => message).join("\n  "));
    return false;
  }

  #tellNot(why: string): void {
    const { out, words } = this.#parts.run;
    out.notice(`${probeSay(words)("probe.order.not")}${why}`);
  }

  /** By the desk; where policy wants a person, its sheet is shown and the PIN asked for. @returns undefined where nothing was sent */
  async #placed(request: NamedOrder): Promise<WriteReport | undefined> {
    const { run, tell, read } = this.#parts;
    const { desk } = this.#composition;
    let report: WriteReport | undefined;
    const step = await ended(
      "place",
      true,
      async (): Promise<Finding> => {
        let begunMs = systemClock.rising();
        report = await desk.place(request);
        const yes = report.state === "awaiting_approval" ? await this.#yes(report) : undefined;
        if (yes !== undefined) {
          begunMs = systemClock.rising();
          report = await yes();
        }
        const ms = systemClock.rising() - begunMs;
        return { result: report.outcome === "accepted" ? "ok" : "failed", ms, ...this.#said(report) };
      },
      this.#measuring(),
    );
    this.steps.push(step);
    tell(step, read.card);
    if (report?.outcome === "accepted" || report?.outcome === "unknown") return report;
    run.exitCode = exitCodeOf("not_sent", report?.state, report?.error?.code);
    return undefined;
  }

  /** In words for whoever reads; what is kept has no whole id. */
  #said(report: WriteReport): Pick<Finding, "note" | "kept"> {
    const text = reportText(this.#composition.desk, report, this.#parts.run.words);
    const { outcome, state, order, error } = report;
    const id = order === undefined ? "" : `, order ${order.orderId.slice(0, ID_SHOWN)}…`;
    const why = error === undefined ? "" : `, ${error.code}`;
    return { note: () => text, kept: `${outcome}, ${state}${id}${why}` };
  }

  /** Shows the sheet and asks for the PIN. @returns what then places exactly that order; undefined where it does not wait any more */
  async #yes(waiting: WriteReport): Promise<(() => Promise<WriteReport>) | undefined> {
    const { run, ask } = this.#parts;
    const { out, words } = run;
    const { desk } = this.#composition;
    const { account, pending } = unwrap(await desk.pending());
    const order = pending.find(({ intent_id }) => intent_id === waiting.intent_id);
    if (order === undefined) return undefined;
    const sheet = questionText(desk, account, order, words, await desk.outlook(order));
    out.writeError(`${probeSay(words)("probe.order.waits")}\n${sheet}\n`);
    try {
      await provePin(run, this.#composition, ask);
    } catch (error) {
      await desk.deny(order.intent_id);
      throw error;
    }
    return () => desk.approve(order.intent_id, "pin", order.digest);
  }

  async #looks(placed: Placed, stop: AbortSignal): Promise<void> {
    for (const { step, finding } of await visibleLooks(this.#venue, placed, stop))
      await this.#ended(step, async () => finding);
  }

  /** However the looks have ended. */
  async #canceled({ userref, symbol, ...placed }: Placed, settleMs: number): Promise<void> {
    const { run } = this.#parts;
    const { desk, commandLine } = this.#composition;
    await this.#ended("cancel", async () => {
      const report = await desk.cancel({ userref, symbol });
      const isDone = report.outcome === "accepted";
      const command = commandLine("call", "cancel_order", "--userref", userref);
      const { note, kept } = this.#said(report);
      return {
        result: isDone ? "ok" : "failed",
        note: (say) => (isDone ? note(say) : `${note(say)}\n${say("probe.still_there", { command })}`),
        ...(kept === undefined ? {} : { kept }),
      };
    });
    const { base } = assetsOf(symbol);
    const looked = await canceledLooks(this.#venue, { ...placed, userref, symbol }, settleMs);
    await this.#ended("found_canceled", async () => looked((volume) => run.words.amount(volume, base)));
  }

  async #ended(name: string, run: () => Promise<Finding>): Promise<void> {
    const { tell, read } = this.#parts;
    const step = await ended(name, true, run, this.#measuring());
    this.steps.push(step);
    tell(step, read.card);
  }

  #measuring() {
    return { listening: this.#listening, steady: () => systemClock.rising() };
  }
}
