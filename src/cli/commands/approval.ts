/** `hoga pending`, `hoga approve`, `hoga deny`: orders that wait for a person. */
import { homeOf, loadProfile } from "../../config/index.ts";
import type { ApprovalAsked, Desk, WriteReport } from "../../desk/index.ts";
import { reportError } from "../../desk/index.ts";
import { placed, questionText } from "../../mcp/index.ts";
import { type Composition, compose } from "../compose.ts";
import { EXIT, exitCodeOf, NotFoundError } from "../failure.ts";
import { notice, print, printJson, table, writeError } from "../output.ts";
import { atTerminal, provePin } from "../pin-prompt.ts";

export interface ApprovalOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export async function pending(options: ApprovalOptions): Promise<void> {
  await withDesk(options, async ({ desk }) => {
    const found = await desk.pending();
    if (!found.ok) {
      process.exitCode = EXIT.failed;
      if (options.json === true) printJson({ environment: desk.environment, error: reportError(found.fault) });
      else notice(`${found.fault.message}\n  → ${found.fault.nextAction}`);
      return;
    }
    if (options.json === true) return printJson(found.value);
    print(found.value.pending.length === 0 ? "No order waits for approval." : waitingTable(found.value.pending));
  });
}

export async function approve(id: string, options: ApprovalOptions): Promise<void> {
  await atTerminal("To approve an order", (ask) =>
    withDesk(options, async (composition) => {
      const { desk } = composition;
      const { asked, account } = await waiting(desk, id);
      writeError(`${questionText(desk, account, asked)}\n`);
      const { pin } = await composition.store();
      await provePin(pin, ask);
      tell(desk, await desk.approve(asked.intent_id, "pin"), options);
    }),
  );
}

export async function deny(id: string, options: ApprovalOptions): Promise<void> {
  await withDesk(options, async ({ desk }) => {
    const { asked } = await waiting(desk, id);
    const report = await desk.deny(asked.intent_id);
    if (options.json === true) printJson(report);
    else print(report.state === "denied" ? `Denied: ${asked.intent_id}. Nothing was sent.` : textOf(desk, report));
    process.exitCode = report.state === "denied" ? EXIT.done : EXIT.failed;
  });
}

export async function withDesk(
  options: ApprovalOptions,
  run: (composition: Composition) => Promise<void>,
): Promise<void> {
  const home = homeOf(process.env);
  const composition = compose({ home, profile: loadProfile(home, process.env, options.profile), standBy: false });
  try {
    await composition.open();
    await run(composition);
  } finally {
    await composition.close();
  }
}

/** By the id listed, or by the userref the assistant speaks of. */
async function waiting(desk: Desk, id: string): Promise<{ asked: ApprovalAsked; account: string }> {
  const found = await desk.pending();
  if (!found.ok) throw new NotFoundError(found.fault.message, found.fault.nextAction);
  const asked = found.value.pending.find(({ intent_id, userref }) => intent_id === id || userref === id);
  if (asked !== undefined) return { asked, account: found.value.account };
  throw new NotFoundError("No order with this id waits for approval.", "hoga pending lists those that do.");
}

function tell(desk: Desk, report: WriteReport, options: ApprovalOptions): void {
  process.exitCode = exitCodeOf(report.outcome, report.state, report.error?.code);
  if (options.json === true) printJson(report);
  else print(textOf(desk, report));
}

function textOf(desk: Desk, report: WriteReport): string {
  const [first] = placed(desk, report, undefined).content;
  return first?.type === "text" ? first.text : report.state;
}

function waitingTable(pending: readonly ApprovalAsked[]): string {
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
