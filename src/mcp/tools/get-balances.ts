import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { BalancesView, ValuedBalance } from "../../desk/index.ts";
import { asset } from "../input/field.ts";
import { amount, amountOr, isPositive } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { accountResult, closed, listOf, maybe, text } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

const balance = closed<ValuedBalance>({
  asset: text,
  total: text,
  available: text,
  locked: text,
  unsettled: maybe,
  value: maybe,
});

export const getBalances = defineTool({
  name: "get_balances",
  title: "Balances",
  description: "What the account holds: total, available, locked in open orders, and its value in the unit of account.",
  module: "account",
  input: z.strictObject({ asset }),
  output: accountResult<BalancesView>({ balances: listOf(balance), value: text }),
  async run({ asset }, { desk }) {
    const read = await desk.balances();
    if (!read.ok) return failedRead(desk, read.fault);
    const view = { ...read.value, balances: ofAsset(read.value.balances, asset) };
    return bounded(desk, view, ({ account, balances, value, unit }) => {
      const head = `Account ${quoted(account)}, about ${amount(value, unit)} in all:`;
      const none = asset !== undefined && balances.length === 0 ? `- ${asset}: none` : undefined;
      return lines(head, ...balances.map((balance) => balanceLine(balance, unit)), none);
    });
  },
});

/** Those of one asset, where one was asked for. */
export function ofAsset<Row extends { readonly asset: string }>(
  rows: readonly Row[],
  asset: string | undefined,
): readonly Row[] {
  return asset === undefined ? rows : rows.filter((row) => row.asset === asset);
}

function balanceLine({ asset, total, available, locked, unsettled, value }: ValuedBalance, unit: string): string {
  const worth = asset === unit ? "" : `, worth ${amountOr(value, unit, `unknown: no ${unit} market`)}`;
  const waiting = isPositive(unsettled) ? `, not settled yet ${amount(unsettled, asset)}` : "";
  const held = `available ${amount(available, asset)}, locked ${amount(locked, asset)}${waiting}`;
  return `- ${asset}: ${amount(total, asset)}, ${held}${worth}`;
}
