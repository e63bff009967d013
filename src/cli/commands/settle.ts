/** `hoga settle`: a person's word about an order, payment or remittance without an answer. */
import { placed } from "../../mcp/index.ts";
import { EXIT, exitCodeOf } from "../failure.ts";
import { print, printJson } from "../output.ts";
import { atTerminal, provePin } from "../pin-prompt.ts";
import { type ApprovalOptions, tellTransfer, withDesk } from "./approval.ts";

export interface SettleOptions extends ApprovalOptions {
  readonly orderId?: string;
}

export async function settle(id: string, word: "placed" | "not-placed", options: SettleOptions): Promise<void> {
  await atTerminal("To settle an order", (ask) =>
    withDesk(options, async (composition) => {
      const { desk } = composition;
      const { pin } = await composition.store();
      await provePin(pin, ask);
      const { orderId } = options;
      const transfer = await desk.transfers?.settle(id, { placed: word === "placed", by: "hoga settle" });
      if (transfer !== undefined) {
        tellTransfer(desk, transfer, options);
        if (word === "not-placed" && transfer.state === "not_made") process.exitCode = EXIT.done;
        return;
      }
      const named = orderId === undefined ? {} : { orderId };
      const report = await desk.settle(id, { placed: word === "placed", by: "hoga settle", ...named });
      process.exitCode =
        word === "not-placed" && report.state === "not_placed"
          ? EXIT.done
          : exitCodeOf(report.outcome, report.state, report.error?.code);
      if (options.json === true) return printJson(report);
      const [first] = placed(desk, report, undefined).content;
      print(first?.type === "text" ? first.text : report.state);
    }),
  );
}
