/** `hoga settle`: a person's word about an order, payment or remittance without an answer. */
import { placed } from "../../mcp/index.ts";
import { EXIT, exitCodeOf } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { type ApprovalOptions, tellFault, tellTransfer, withDesk } from "./approval.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

const NOT_SETTLED = "Not settled: it is as it was. ";

export interface SettleOptions extends ApprovalOptions {
  readonly orderId?: string;
}

export async function settle(
  id: string,
  word: "placed" | "not-placed",
  options: SettleOptions,
  run: Invocation,
): Promise<void> {
  await atTerminal(run.io, "To settle an order", (ask) =>
    withDesk(options, run, async (composition) => {
      const { desk } = composition;
      const { pin } = await composition.store();
      await provePin(pin, ask);
      const { orderId } = options;
      const transfer = await desk.transfers?.settle(id, { placed: word === "placed", by: "hoga settle" });
      if (transfer !== undefined) {
        if (!transfer.ok) return tellFault(run, desk, transfer.fault, options, NOT_SETTLED);
        tellTransfer(run, desk, transfer.value, options);
        if (word === "not-placed" && transfer.value.state === "not_made") run.exitCode = EXIT.done;
        return;
      }
      const named = orderId === undefined ? {} : { orderId };
      const settled = await desk.settle(id, { placed: word === "placed", by: "hoga settle", ...named });
      if (!settled.ok) return tellFault(run, desk, settled.fault, options, NOT_SETTLED);
      const report = settled.value;
      run.exitCode =
        word === "not-placed" && report.state === "not_placed"
          ? EXIT.done
          : exitCodeOf(report.outcome, report.state, report.error?.code);
      if (options.json === true) return run.out.printJson(report);
      const [first] = placed(desk, report, undefined).content;
      run.out.print(first?.type === "text" ? first.text : report.state);
    }),
  );
}
