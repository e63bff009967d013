/** `hoga settle`: a person's word about an order, payment or remittance without an answer. */
import { defined } from "../../contract/index.ts";
import type { Desk, LookupView } from "../../desk/index.ts";
import { evidenceWords } from "../../words/index.ts";
import { EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { type ApprovalOptions, printFault, printReport, withDesk } from "./approval.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

/** Shows what was found out about it, before a person says what became of it. It is looked up once more for that. */
async function showEvidence(desk: Desk, id: string, { out, words }: Invocation): Promise<void> {
  const known = (await ofTransfer(desk, id)) ?? (await ofOrder(desk, id));
  if (known === undefined) return;
  const evidence = evidenceWords(known.evidence, words);
  out.writeError(`${words.say("settle.evidence", { userref: known.name, evidence })}\n`);
}

interface Known {
  readonly name: string;
  readonly evidence: LookupView;
}

async function ofOrder(desk: Desk, id: string): Promise<Known | undefined> {
  const { unresolved } = await desk.status();
  const named = unresolved.find(({ intent_id, userref }) => intent_id === id || userref === id);
  if (named === undefined) return undefined;
  const { userref: name } = named;
  const view = await desk.order({ userref: name });
  return view.ok && view.value.evidence !== undefined ? { name, evidence: view.value.evidence } : undefined;
}

/** Its id does not say of which family it is. */
async function ofTransfer({ transfers }: Desk, transferId: string): Promise<Known | undefined> {
  for (const family of ["payment", "remittance"] as const) {
    const view = await transfers?.[family]({ transferId });
    if (view?.ok === true && view.value.evidence !== undefined)
      return { name: transferId, evidence: view.value.evidence };
  }
  return undefined;
}

export interface SettleOptions extends ApprovalOptions {
  readonly orderId?: string;
}

export async function settle(
  id: string,
  word: "placed" | "not-placed",
  options: SettleOptions,
  run: Invocation,
): Promise<void> {
  await atTerminal(run, "settle", (ask) =>
    withDesk(options, run, async (composition) => {
      const { desk } = composition;
      await showEvidence(desk, id, run);
      await provePin(run, composition, ask);
      const settlement = { placed: word === "placed", by: "hoga settle" };
      const transfer = await desk.transfers?.settle(id, settlement);
      if (transfer !== undefined) {
        if (!transfer.ok) return printFault(run, desk, transfer.fault, options, run.words.say("settle.not"));
        printReport(run, desk, transfer.value, options);
        if (word === "not-placed" && transfer.value.state === "not_made") run.exitCode = EXIT.done;
        return;
      }
      const order = await desk.settle(id, { ...settlement, ...defined({ orderId: options.orderId }) });
      if (!order.ok) return printFault(run, desk, order.fault, options, run.words.say("settle.not"));
      printReport(run, desk, order.value, options);
      if (word === "not-placed" && order.value.state === "not_placed") run.exitCode = EXIT.done;
    }),
  );
}
