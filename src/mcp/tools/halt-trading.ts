import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { Desk, ElsewhereOrder, HaltReport, WriteReport } from "../../desk/index.ts";
import { reasonText } from "../input/field.ts";
import type { InputProblem } from "../input/input-problem.ts";
import { errorText, lines, sentence } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import { closed, listOf, maybe, maybeWhole, text, whole, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";
import {
  canceledItems,
  canceledShape,
  unresolvedLines,
  unresolvedShape,
  withdrawnCount,
  withdrawnLines,
  withdrawnShape,
} from "./cancel-all-orders.ts";

const HALTED: Readonly<Record<HaltReport["brake"], (command: Desk["command"]) => string>> = {
  everywhere: (command) =>
    `HALTED in every process: no new order is sent until a person runs \`${command("resume")}\`.`,
  directory: (command) =>
    "HALTED in every process of this data directory, and NOT in those that share its store from elsewhere: once the store can be reached, a " +
    `person runs \`${command("halt")}\` again.`,
  here: (command) => `HALTED in this process only: it sends no new order until a person runs \`${command("resume")}\`.`,
  nowhere: () => "NOT HALTED: the halt could not be stored, and other processes may send orders.",
};

function elsewhereLine({ environment, account, symbol, userref, orderId, state }: ElsewhereOrder): string {
  const id = orderId === null ? "" : ` order_id ${orderId}`;
  const where = `${symbol} userref ${userref}${id} on another account, ${account} (${environment})`;
  return `- NOT canceled: ${where}: ${state}; a person runs hoga halt with the profile of that account.`;
}

interface HaltArguments {
  readonly reason?: string | undefined;
  /** Arguments that were ignored. */
  readonly misfits?: readonly string[];
}

/** Halting is never refused for its arguments: what does not fit is ignored, and the result says so. */
function fallback(input: unknown, problems: readonly InputProblem[]): HaltArguments {
  const given = typeof input === "object" && input !== null && "reason" in input ? input.reason : undefined;
  if (typeof given !== "string") return { misfits: problems.map(({ message }) => message) };
  // The desk cuts and cleans it.
  const others = problems.filter(({ field }) => field !== "reason");
  return { reason: given, misfits: others.map(({ message }) => message) };
}

export const haltTrading = defineTool({
  name: "halt_trading",
  title: "Halt trading",
  description:
    "Stops every new order in all processes, cancels all open orders and verifies, withdraws what waits for approval. Only a person lifts the halt (hoga resume).",
  module: "safety",
  writes: { idempotent: true },
  input: z.strictObject({ reason: reasonText }) satisfies z.ZodType<HaltArguments>,
  fallback,
  output: writeResult<HaltReport & Pick<WriteReport, "state">>({
    state: text,
    brake: text,
    results: canceledShape,
    canceled: whole,
    withdrawn: withdrawnShape,
    remaining: maybeWhole,
    unresolved: unresolvedShape,
    elsewhere: listOf(
      closed<ElsewhereOrder>({
        environment: text,
        account: text,
        userref: text,
        orderId: maybe,
        symbol: text,
        state: text,
      }),
    ),
  }),
  async run({ reason = "", misfits = [] }: HaltArguments, { desk }) {
    const halted = await desk.halt(reason, "assistant");
    const ignored = misfits.map((misfit) => `Halted all the same, without this: ${sentence(misfit)}`);
    const report = { ...halted, warnings: [...halted.warnings, ...ignored] };
    const { remaining, unresolved, elsewhere, brake } = report;
    const isLeft = remaining !== 0 || unresolved.length > 0 || elsewhere.length > 0;
    const isError = isLeft || report.next_action !== undefined || brake !== "everywhere";
    const open = remaining === null ? "what is still open could not be verified" : `${remaining} still open`;
    const head = `${HALTED[brake]((...said) => desk.command(...said))} On account ${quoted(report.account)}: ${report.canceled} canceled, ${open}.${withdrawnCount(report)}`;
    const text = (shown: HaltReport) =>
      lines(
        head,
        report.error === undefined ? undefined : errorText(report.error),
        ...canceledItems(shown),
        ...withdrawnLines(shown),
        ...unresolvedLines(shown.unresolved),
        ...shown.elsewhere.map(elsewhereLine),
        ...warned(shown.warnings),
        report.next_action === undefined ? undefined : `Next: ${report.next_action}`,
      );
    return bounded(desk, report, text, isError);
  },
});
