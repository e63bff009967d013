import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { BalancesView, ValuedBalance } from "../../desk/index.ts";
import { amount, amountOr, isPositive } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { accountResult, closed, listOf, maybe, text } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

const balance = closed<ValuedBalance>({
  asset: text,
  total: text,
  available: text,
  locked: text,
  unsettled: maybe,
  krw_value: maybe,
});

export const getBalances = defineTool({
  name: "get_balances",
  title: "Balances",
  description: "What the account holds: total, available, locked in open orders, and its value in KRW.",
  module: "account",
  input: z.strictObject({}),
  output: accountResult<BalancesView>({ balances: listOf(balance), total_krw: text }),
  async run(_, { desk }) {
    const read = await desk.balances();
    if (!read.ok) return failedRead(desk, read.fault);
    const { account, balances, total_krw } = read.value;
    const head = `Account ${quoted(account)}, about ${amount(total_krw, "KRW")} in all:`;
    return answered(desk, lines(head, ...balances.map(balanceLine)), read.value);
  },
});

function balanceLine({ asset, total, available, locked, unsettled, krw_value }: ValuedBalance): string {
  const value = asset === "KRW" ? "" : `, worth ${amountOr(krw_value, "KRW", "unknown: no KRW market")}`;
  const waiting = isPositive(unsettled) ? `, not settled yet ${amount(unsettled, asset)}` : "";
  const held = `available ${amount(available, asset)}, locked ${amount(locked, asset)}${waiting}`;
  return `- ${asset}: ${amount(total, asset)}, ${held}${value}`;
}
