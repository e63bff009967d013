/** `hoga orders`: lists the account's orders. */
import { defined, LIMITS, type Order, type OrderStateFilter, quoted } from "../../contract/index.ts";
import { orderStateOf, reportError } from "../../desk/index.ts";
import { composeCommand } from "../composition/compose.ts";
import { EXIT, isBadInput } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../output.ts";

export interface OrdersOptions {
  readonly profile?: string;
  readonly symbol?: string;
  readonly state: OrderStateFilter;
  readonly limit: number;
  readonly json?: boolean;
}

export async function orders(options: OrdersOptions, run: Invocation): Promise<void> {
  const { out } = run;
  const composition = composeCommand(run, options.profile);
  try {
    await composition.open();
    const { symbol, state } = options;
    const limit = Math.min(options.limit, LIMITS.pageSizeMax);
    const answer = await composition.desk.orders({ state, limit, ...defined({ symbol }) });
    if (!answer.ok) {
      run.exitCode = isBadInput(answer.fault.code) ? EXIT.usage : EXIT.failed;
      if (options.json === true)
        out.printJson({ environment: composition.desk.environment, error: reportError(answer.fault) });
      else out.notice(`${answer.fault.message}\n  → ${answer.fault.nextAction}`);
      return;
    }
    const { orders: found, next_cursor } = answer.value;
    if (options.json === true) return out.printJson(answer.value);
    out.print(listed(found, state, answer.value));
    if (next_cursor !== null)
      out.notice(
        `There are more than these ${found.length}: --limit up to ${LIMITS.pageSizeMax}, or --symbol, shows others.`,
      );
  } finally {
    await composition.close();
  }
}

function listed(found: readonly Order[], state: string, stamp: { environment: string; account: string }): string {
  const head = `[${stamp.environment}] account ${quoted(stamp.account)}`;
  if (found.length === 0) return `${head}: no ${state} orders`;
  const rows = found.map((order) => [
    order.created_at,
    order.symbol,
    order.side,
    order.type,
    order.price ?? "market",
    order.volume ?? `${order.amount ?? ""} KRW`,
    order.executed_volume,
    orderStateOf(order),
    order.orderId,
  ]);
  return `${head}\n${table(["created", "market", "side", "type", "price", "volume", "executed", "state", "order id"], rows)}`;
}
