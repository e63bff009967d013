/** `hoga pending`, `hoga approve`, `hoga deny`: orders, plans, payments and remittances that wait for a person. */
import { type Fault, ok, quoted, type Result } from "../../contract/index.ts";
import {
  type ApprovalRequest,
  type Desk,
  type PendingOrder,
  type PendingPlan,
  type PendingTransfer,
  type PendingView,
  type PlanWriteReport,
  reportError,
  type TransferReport,
  type WriteReport,
} from "../../desk/index.ts";
import {
  planQuestionText,
  plansOf,
  questionText,
  shownPlan,
  transferQuestionText,
  withPolicyPath,
} from "../../mcp/index.ts";
import { assetsOf, type Words } from "../../words/index.ts";
import type { Composition } from "../composition/compose.ts";
import { EXIT, type ExitCode, exitCodeOf, faultLines, NotFoundError, said, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { plansWaitingTable } from "../text/plan-pending.ts";
import { planWriteText } from "../text/plan-text.ts";
import { reportText } from "../text/report-text.ts";
import { table } from "../text/table.ts";
import { withComposition } from "./look.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";
import { exitOfPlan, planWriteJson } from "./plans.ts";

export interface ApprovalOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export interface SeveralOptions extends ApprovalOptions {
  /** In place of ids. */
  readonly all?: boolean;
}

interface AllPending {
  readonly orders: PendingView;
  readonly transfers: readonly PendingTransfer[];
  readonly plans: readonly PendingPlan[];
}

type Report = WriteReport | TransferReport;
/** What became of it, of whichever kind it is. */
type Done =
  | { readonly of: "order"; readonly report: Report }
  | { readonly of: "plan"; readonly report: PlanWriteReport };

export async function pending(options: ApprovalOptions, run: Invocation): Promise<void> {
  const { out } = run;
  await withDesk(options, run, async ({ desk }) => {
    const found = await allPending(desk);
    if (!found.ok) return printFault(run, desk, found.fault, options);
    const { orders, transfers, plans } = found.value;
    const asked = transfers.map((view) => view.asked);
    if (options.json === true)
      return out.printJson({
        ...orders,
        ...(asked.length > 0 && { transfers: asked }),
        ...(plans.length > 0 && { plans: plans.map((each) => waitingJson(desk, each)) }),
      });
    const parts = [
      ...(orders.pending.length === 0 ? [] : [waitingTable(orders.pending, desk.unit, run.words)]),
      ...(plans.length === 0 ? [] : [plansWaitingTable(plans, desk.unit, run.words)]),
      ...(asked.length === 0 ? [] : [transferTable(transfers, desk.unit, run.words)]),
    ];
    const { say } = run.words;
    const money = say(`money.${desk.environment}`);
    if (parts.length === 0) return out.print(`${money} ${say("pending.none")}`);
    out.print(`${say("pending.head", { money, account: quoted(orders.account) })}\n${parts.join("\n\n")}`);
  });
}

/** Approves exactly those whose sheets were shown in this very run, each by its own digest, by one PIN. */
export async function approve(ids: readonly string[], options: SeveralOptions, run: Invocation): Promise<void> {
  requireNamed(ids, options);
  await atTerminal(run, "approve", (ask) =>
    withDesk(options, run, async (composition) => {
      const { desk } = composition;
      const found = await waiting(desk, ids, options);
      if (found.length === 0) return run.out.print(run.words.say("pending.none"));
      await showSheets(found, run);
      await provePin(run, composition, ask);
      const reports: Done[] = [];
      for (const each of found) reports.push(await each.approve());
      printReports(run, desk, reports, options);
    }),
  );
}

export async function deny(ids: readonly string[], options: SeveralOptions, run: Invocation): Promise<void> {
  requireNamed(ids, options);
  const { out, words } = run;
  await withDesk(options, run, async ({ desk }) => {
    const found = await waiting(desk, ids, options);
    if (found.length === 0) return out.print(words.say("pending.none"));
    if (found.length > 1) await showSheets(found, run);
    const ended: Denial[] = [];
    for (const { id, asks, deny } of found) ended.push({ id, asks, result: await deny() });
    if (options.json === true)
      printJson(
        run,
        ended.map((denial) => denialReport(desk, denial)),
        options,
      );
    else for (const each of ended) printDenial(run, desk, each);
    run.exitCode = ended.every(isDenied) ? EXIT.done : EXIT.failed;
  });
}

async function showSheets(found: readonly Waiting[], { out, words }: Invocation): Promise<void> {
  const sheets = await Promise.all(found.map((each) => each.question(words)));
  for (const sheet of sheets) out.writeError(`${sheet}\n`);
}

interface Denial extends Pick<Waiting, "id" | "asks"> {
  readonly result: Result<Done>;
}

/** The no to a change leaves the plan as it is; it came too late where that is warned of. */
function isDenied({ result, asks }: Denial): boolean {
  if (!result.ok) return false;
  const { state, warnings } = result.value.report;
  return asks === "change" ? warnings.length === 0 : state === "denied";
}

function denialReport(desk: Desk, { result }: Denial): object {
  const { environment } = desk;
  return result.ok ? jsonOf(desk, result.value) : { environment, error: reportError(result.fault) };
}

function jsonOf(desk: Desk, done: Done): object {
  return done.of === "plan" ? planWriteJson(desk, done.report) : done.report;
}

function textOf(desk: Desk, done: Done, words: Words): string {
  return done.of === "plan" ? planWriteText(desk, done.report, words) : reportText(desk, done.report, words);
}

function exitOf({ of, report }: Done): ExitCode {
  return of === "plan" ? exitOfPlan(report) : exitCodeOf(report.outcome, report.state, report.error?.code);
}

function printDenial({ out, words }: Invocation, desk: Desk, denial: Denial): void {
  const { id, result } = denial;
  if (!result.ok) out.notice(`${words.say("deny.not")}${faultLines(result.fault, words).join("\n")}`);
  else out.print(isDenied(denial) ? words.say("deny.done", { id }) : textOf(desk, result.value, words));
}

/** @throws UsageError where neither or both are given */
function requireNamed(ids: readonly string[], { all = false }: SeveralOptions): void {
  if (all === ids.length > 0) throw new UsageError(...said(({ say }) => [say("pending.which"), say("pending.lists")]));
}

/** Prints of one that was named its report; of several a list of them. */
function printJson({ out }: Invocation, reports: readonly object[], { all = false }: SeveralOptions): void {
  out.printJson(reports.length === 1 && !all ? reports[0] : { results: reports });
}

function printReports(run: Invocation, desk: Desk, reports: readonly Done[], options: SeveralOptions): void {
  const codes = reports.map(exitOf);
  const [only] = options.all === true || codes.length !== 1 ? [] : codes;
  run.exitCode = only ?? (codes.every((code) => code === EXIT.done) ? EXIT.done : EXIT.failed);
  const told = withPolicyPath(reports, { desk });
  if (options.json === true)
    printJson(
      run,
      told.map((done) => jsonOf(desk, done)),
      options,
    );
  else run.out.print(told.map((done) => textOf(desk, done, run.words)).join("\n"));
}

export async function withDesk(
  options: ApprovalOptions,
  run: Invocation,
  use: (composition: Composition) => Promise<void>,
): Promise<void> {
  await withComposition(run, options.profile, async (composition) => {
    await composition.open();
    await use(composition);
  });
}

async function allPending(desk: Desk): Promise<Result<AllPending>> {
  const orders = await desk.pending();
  if (!orders.ok) return orders;
  const transfers = (await desk.transfers?.pending()) ?? ok([]);
  if (!transfers.ok) return transfers;
  const plans = (await desk.plans?.pending()) ?? ok([]);
  return plans.ok ? ok({ orders: orders.value, transfers: transfers.value, plans: plans.value }) : plans;
}

interface Waiting {
  readonly id: string;
  readonly names: readonly string[];
  /** That something begins, or a change of what has begun. */
  readonly asks: "begin" | "change";
  question(words: Words): Promise<string>;
  /** Approves what was shown, and nothing that it has become since. */
  readonly approve: () => Promise<Done>;
  readonly deny: () => Promise<Result<Done>>;
}

/**
 * @param ids as they are listed, or userrefs that the assistant names; one that is named twice is one
 * @throws NotFoundError where one of them does not wait; then none is touched
 */
async function waiting(
  desk: Desk,
  ids: readonly string[],
  { all = false }: SeveralOptions,
): Promise<readonly Waiting[]> {
  const { orders, transfers, plans } = unwrap(await allPending(desk));
  const listed = [
    ...orders.pending.map((order) => waitingOrder(desk, orders.account, order)),
    ...plans.map((plan) => waitingPlan(desk, orders.account, plan)),
    ...transfers.map((transfer) => waitingTransfer(desk, orders.account, transfer)),
  ];
  if (all) return listed;
  const named = ids.map((id, index) => {
    const found = listed.find(({ names }) => names.includes(id));
    if (found !== undefined) return found;
    // Not what was typed: that may be the PIN.
    const which = ids.length === 1 ? "" : `#${index + 1}: `;
    throw new NotFoundError(...said(({ say }) => [`${which}${say("pending.no_such")}`, say("pending.lists")]));
  });
  return [...new Set(named)];
}

function waitingOrder(desk: Desk, account: string, order: PendingOrder): Waiting {
  const { intent_id: id, userref, digest } = order;
  return {
    id,
    names: [id, userref],
    asks: "begin",
    question: async (words) => questionText(desk, account, order, words, await desk.outlook(order)),
    approve: async () => ({ of: "order", report: await desk.approve(id, "pin", digest) }),
    deny: async () => ofOrder(await desk.deny(id)),
  };
}

function ofOrder(result: Result<Report>): Result<Done> {
  return result.ok ? ok({ of: "order", report: result.value }) : result;
}

function waitingPlan(desk: Desk, account: string, plan: PendingPlan): Waiting {
  const { digest, asked } = plan;
  const { id, action } = asked;
  const its = plansOf(desk);
  return {
    id,
    names: [id],
    asks: action === "start" ? "begin" : "change",
    question: async (words) => planQuestionText(desk, account, plan, words),
    approve: async () => ({ of: "plan", report: await its.approve(id, "pin", digest) }),
    deny: async () => {
      const denied = await its.deny(id);
      return denied.ok ? ok({ of: "plan", report: denied.value }) : denied;
    },
  };
}

/** For programs: what is asked, of which plan. */
function waitingJson({ unit, timeZone }: Desk, { asked, plan, warnings }: PendingPlan): object {
  return { ...asked, plan: shownPlan(plan, unit, timeZone), warnings };
}

function waitingTransfer(desk: Desk, account: string, transfer: PendingTransfer): Waiting {
  const { digest, asked } = transfer;
  const id = asked.transfer_id;
  const its = desk.transfers;
  if (its === undefined) throw new Error("a transfer waits where there are none");
  return {
    id,
    names: [id],
    asks: "begin",
    question: async (words) => transferQuestionText(desk, account, transfer, words),
    approve: async () => ({ of: "order", report: await its.approve(id, "pin", digest) }),
    deny: async () => ofOrder(await its.deny(id)),
  };
}

/** Why a person's command had no effect. @param what precedes it in the text for people */
export function printFault(run: Invocation, desk: Desk, fault: Fault, options: ApprovalOptions, what = ""): void {
  run.exitCode = EXIT.failed;
  if (options.json === true) run.out.printJson({ environment: desk.environment, error: reportError(fault) });
  else run.out.notice(`${what}${faultLines(fault, run.words).join("\n")}`);
}

export function printReport(
  run: Invocation,
  desk: Desk,
  report: WriteReport | TransferReport,
  options: ApprovalOptions,
): void {
  const told = withPolicyPath(report, { desk });
  run.exitCode = exitCodeOf(report.outcome, report.state, report.error?.code);
  if (options.json === true) run.out.printJson(told);
  else run.out.print(reportText(desk, told, run.words));
}

function waitingTable(pending: readonly ApprovalRequest[], unit: string, { say, figure, amount, when }: Words): string {
  const rows = pending.map(({ intent_id, order, value, expires_at }) => [
    intent_id,
    order.symbol,
    say(`side.${order.side}`),
    say(`type.${order.type}`),
    order.volume ?? amount(order.amount ?? "", assetsOf(order.symbol).quote),
    order.price === undefined ? say("type.market") : figure(order.price, assetsOf(order.symbol).quote),
    figure(value, unit),
    when(expires_at),
  ]);
  const columns = ["id", "market", "side", "type", "size", "price", "counts_for", "lapses"] as const;
  return table(
    columns.map((name) => say(`column.${name}`)),
    rows,
  );
}

function transferTable(transfers: readonly PendingTransfer[], unit: string, { say, figure, when }: Words): string {
  const rows = transfers.map(({ asked }) => [
    asked.transfer_id,
    asked.summary,
    figure(asked.value, unit),
    when(asked.expires_at),
  ]);
  const columns = ["id", "what", "counts_for", "lapses"] as const;
  return table(
    columns.map((name) => say(`column.${name}`)),
    rows,
  );
}
