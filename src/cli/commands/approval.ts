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
import { placed, questionText, transferQuestionText, transferred } from "../../mcp/index.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import { EXIT, exitCodeOf, NotFoundError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../output.ts";
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
      ...(orders.pending.length === 0 ? [] : [waitingTable(orders.pending)]),
      ...(asked.length === 0 ? [] : [transferTable(transfers)]),
    ];
    out.print(parts.length === 0 ? "No order waits for approval." : parts.join("\n\n"));
  });
}

export async function approve(id: string, options: ApprovalOptions, run: Invocation): Promise<void> {
  await atTerminal(run.io, "To approve an order", (ask) =>
    withDesk(options, run, async (composition) => {
      const { desk } = composition;
      const { order, transfer, account } = await waiting(desk, id);
      const prove = async (question: string): Promise<void> => {
        run.out.writeError(`${question}\n`);
        await provePin(composition, ask);
      };
      if (order !== undefined) {
        await prove(questionText(desk, account, order));
        return printReport(run, desk, await desk.approve(order.intent_id, "pin", order.digest), options);
      }
      await prove(transferQuestionText(desk, account, transfer));
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
    if (!ended.ok) return printFault(run, desk, ended.fault, options, "Not denied: it may still be approved. ");
    const report = ended.value;
    if (options.json === true) out.printJson(report);
    else out.print(report.state === "denied" ? `Denied: ${denied}. Nothing was sent.` : textOf(desk, report));
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
  if (!found.ok) throw new NotFoundError(found.fault.message, found.fault.nextAction);
  const { orders, transfers } = found.value;
  const { account } = orders;
  const order = orders.pending.find(({ intent_id, userref }) => intent_id === id || userref === id);
  if (order !== undefined) return { order, account };
  const transfer = transfers.find(({ asked }) => asked.transfer_id === id);
  if (transfer !== undefined) return { transfer, account };
  throw new NotFoundError("No order with this id waits for approval.", "hoga pending lists those that do.");
}

/** Why a person's command had no effect. @param what precedes it in the text for people */
export function printFault(run: Invocation, desk: Desk, fault: Fault, options: ApprovalOptions, what = ""): void {
  run.exitCode = EXIT.failed;
  if (options.json === true) run.out.printJson({ environment: desk.environment, error: reportError(fault) });
  else run.out.notice(`${what}${fault.message}\n  → ${fault.nextAction}`);
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
  else run.out.print(textOf(desk, report));
}

function textOf(desk: Desk, report: WriteReport | TransferReport): string {
  const result = "draft" in report ? transferred(desk, report) : placed(desk, report, undefined);
  const [first] = result.content;
  return first?.type === "text" ? first.text : report.state;
}

function waitingTable(pending: readonly ApprovalRequest[]): string {
  const rows = pending.map(({ intent_id, order, value_krw, expires_at }) => [
    intent_id,
    order.symbol,
    order.side,
    order.type,
    order.volume ?? `${order.amount ?? ""} KRW`,
    order.price ?? "market",
    value_krw,
    expires_at,
  ]);
  return table(["id", "market", "side", "type", "size", "price", "counts for KRW", "lapses"], rows);
}

function transferTable(transfers: readonly PendingTransfer[]): string {
  const rows = transfers.map(({ asked }) => [asked.transfer_id, asked.summary, asked.value_krw, asked.expires_at]);
  return table(["id", "payment or remittance (draft)", "counts for KRW", "lapses"], rows);
}
