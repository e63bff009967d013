/** `hoga pending`, `hoga approve`, `hoga deny`: orders, payments and remittances that wait for a person. */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import {
  type ApprovalRequest,
  type Desk,
  type PendingOrder,
  type PendingTransfer,
  type PendingView,
  reportError,
  type TransferReport,
  type WriteReport,
} from "../../desk/index.ts";
import { questionText, transferQuestionText } from "../../mcp/index.ts";
import type { Words } from "../../words/index.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import { EXIT, exitCodeOf, faultLines, NotFoundError, said, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { reportText } from "../report-text.ts";
import { table } from "../table.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

export interface ApprovalOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

/** What waits: orders, and payments and remittances where there are any. */
interface AllPending {
  readonly orders: PendingView;
  readonly transfers: readonly PendingTransfer[];
}

export async function pending(options: ApprovalOptions, run: Invocation): Promise<void> {
  const { out } = run;
  await withDesk(options, run, async ({ desk }) => {
    const found = await allPending(desk);
    if (!found.ok) return printFault(run, desk, found.fault, options);
    const { orders, transfers } = found.value;
    const asked = transfers.map((view) => view.asked);
    if (options.json === true) return out.printJson(asked.length === 0 ? orders : { ...orders, transfers: asked });
    const parts = [
      ...(orders.pending.length === 0 ? [] : [waitingTable(orders.pending, run.words)]),
      ...(asked.length === 0 ? [] : [transferTable(transfers, run.words)]),
    ];
    out.print(parts.length === 0 ? run.words.say("pending.none") : parts.join("\n\n"));
  });
}

export async function approve(id: string, options: ApprovalOptions, run: Invocation): Promise<void> {
  await atTerminal(run, "approve", (ask) =>
    withDesk(options, run, async (composition) => {
      const { desk } = composition;
      const { order, transfer, account } = await waiting(desk, id);
      const prove = async (question: string): Promise<void> => {
        run.out.writeError(`${question}\n`);
        await provePin(run, composition, ask);
      };
      if (order !== undefined) {
        await prove(questionText(desk, account, order, run.words));
        return printReport(run, desk, await desk.approve(order.intent_id, "pin", order.digest), options);
      }
      await prove(transferQuestionText(desk, account, transfer, run.words));
      const { transfer_id } = transfer.asked;
      const report = await desk.transfers?.approve(transfer_id, "pin", transfer.digest);
      if (report !== undefined) printReport(run, desk, report, options);
    }),
  );
}

export async function deny(id: string, options: ApprovalOptions, run: Invocation): Promise<void> {
  const { out } = run;
  await withDesk(options, run, async ({ desk }) => {
    const { order, transfer } = await waiting(desk, id);
    const denied = order?.intent_id ?? transfer?.asked.transfer_id ?? id;
    const ended = order === undefined ? await desk.transfers?.deny(denied) : await desk.deny(denied);
    if (ended === undefined) return;
    if (!ended.ok) return printFault(run, desk, ended.fault, options, run.words.say("deny.not"));
    const report = ended.value;
    if (options.json === true) out.printJson(report);
    else if (report.state === "denied") out.print(run.words.say("deny.done", { id: denied }));
    else out.print(reportText(desk, report, run.words));
    run.exitCode = report.state === "denied" ? EXIT.done : EXIT.failed;
  });
}

export async function withDesk(
  options: ApprovalOptions,
  run: Invocation,
  use: (composition: Composition) => Promise<void>,
): Promise<void> {
  const composition = composeCommand(run, options.profile);
  try {
    await composition.open();
    await use(composition);
  } finally {
    await composition.close();
  }
}

async function allPending(desk: Desk): Promise<Result<AllPending>> {
  const orders = await desk.pending();
  if (!orders.ok) return orders;
  const transfers = (await desk.transfers?.pending()) ?? ok([]);
  return transfers.ok ? ok({ orders: orders.value, transfers: transfers.value }) : transfers;
}

type Found = { readonly account: string } & (
  | { readonly order: PendingOrder; readonly transfer?: undefined }
  | { readonly order?: undefined; readonly transfer: PendingTransfer }
);

/** @param id as it is listed, or the userref that the assistant names */
async function waiting(desk: Desk, id: string): Promise<Found> {
  const found = await allPending(desk);
  const { orders, transfers } = unwrap(found);
  const { account } = orders;
  const order = orders.pending.find(({ intent_id, userref }) => intent_id === id || userref === id);
  if (order !== undefined) return { order, account };
  const transfer = transfers.find(({ asked }) => asked.transfer_id === id);
  if (transfer !== undefined) return { transfer, account };
  throw new NotFoundError(...said(({ say }) => [say("pending.no_such"), say("pending.lists")]));
}

/** Why a person's command had no effect. @param what precedes it in the text for people */
export function printFault(run: Invocation, desk: Desk, fault: Fault, options: ApprovalOptions, what = ""): void {
  run.exitCode = EXIT.failed;
  if (options.json === true) run.out.printJson({ environment: desk.environment, error: reportError(fault) });
  else run.out.notice(`${what}${faultLines(fault, run.words).join("\n")}`);
}

/** What became of an order, payment or remittance, for a command that ends with it. */
export function printReport(
  run: Invocation,
  desk: Desk,
  report: WriteReport | TransferReport,
  options: ApprovalOptions,
): void {
  run.exitCode = exitCodeOf(report.outcome, report.state, report.error?.code);
  if (options.json === true) run.out.printJson(report);
  else run.out.print(reportText(desk, report, run.words));
}

function waitingTable(pending: readonly ApprovalRequest[], { say, figure, won, when }: Words): string {
  const rows = pending.map(({ intent_id, order, value_krw, expires_at }) => [
    intent_id,
    order.symbol,
    say(`side.${order.side}`),
    say(`type.${order.type}`),
    order.volume ?? won(order.amount ?? ""),
    order.price === undefined ? say("type.market") : figure(order.price, "KRW"),
    figure(value_krw, "KRW"),
    when(expires_at),
  ]);
  const columns = ["id", "market", "side", "type", "size", "price", "counts_for", "lapses"] as const;
  return table(
    columns.map((name) => say(`column.${name}`)),
    rows,
  );
}

function transferTable(transfers: readonly PendingTransfer[], { say, figure, when }: Words): string {
  const rows = transfers.map(({ asked }) => [
    asked.transfer_id,
    asked.summary,
    figure(asked.value_krw, "KRW"),
    when(asked.expires_at),
  ]);
  const columns = ["id", "transfer", "counts_for", "lapses"] as const;
  return table(
    columns.map((name) => say(`column.${name}`)),
    rows,
  );
}
