/** The transfer road put together. Entry point: `openTransfers`, of which `desk.ts` makes part of the desk. */
import type { ReconcileReport } from "../answers.ts";
import { type DeskContext, stored } from "../context.ts";
import { Told } from "../told.ts";
import type { TransferDesk, TransferReport, UnsettledTransfer } from "./answers.ts";
import { TransferApproving } from "./approving.ts";
import { unsettledTransfers } from "./besides.ts";
import { TransferGate } from "./gate.ts";
import { TransferLooking } from "./looking.ts";
import { TransferMaking } from "./making.ts";
import type { TransferJournal, TransferParts } from "./ports.ts";
import { TransferSending } from "./sending.ts";
import { TransferSettling } from "./settling.ts";
import { transfersWaiting } from "./waiting.ts";

export interface OpenedTransfers {
  readonly desk: TransferDesk;
  reconcile(): Promise<ReconcileReport>;
  /** How many wait for a person. */
  waiting(): Promise<number>;
  /** Without an answer, on all accounts. */
  unsettled(): Promise<readonly UnsettledTransfer[]>;
  rest(): Promise<void>;
  readonly journal: TransferJournal;
}

/** @param guarded halts everything where a broken invariant shows */
export function openTransfers(
  context: DeskContext,
  parts: TransferParts,
  guarded: (send: () => Promise<TransferReport>) => Promise<TransferReport>,
): OpenedTransfers {
  const { journal } = parts;
  const gate = new TransferGate(context, parts);
  const settling = new TransferSettling(context, parts);
  const telling = new Told((transferId) => journal.heard(transferId));
  const sending = new TransferSending(context, { transfers: parts, gate, settling, telling });
  const making = new TransferMaking({ context, transfers: parts, gate, sending, settling, telling });
  const approving = new TransferApproving({ context, transfers: parts, gate, making, sending });
  const looking = new TransferLooking({ context, transfers: parts, gate, settling, telling });
  const told = (report: TransferReport): TransferReport => {
    const isEnd = report.outcome !== "unknown" && report.state !== "awaiting_approval";
    if (isEnd && report.transfer_id !== undefined) telling.say(report.transfer_id);
    return report;
  };
  return {
    desk: {
      quotePayment: (body) => looking.quotePayment(body),
      quoteRemittance: (body) => looking.quoteRemittance(body),
      payment: (name) => looking.payment(name),
      remittance: (name) => looking.remittance(name),
      make: (request) => guarded(async () => told(await making.make(request))),
      pending: () => approving.pending(),
      // Heard by a person, and not by whoever asked for it.
      approve: (...yes) => guarded(() => approving.approve(...yes)),
      deny: (transferId) => approving.deny(transferId),
      sealApproval: (transferId, request) => approving.seal(transferId, request),
      answerApproval: (answer) => guarded(async () => told(await approving.answer(answer))),
      settle: async (transferId, word) => {
        const account = await context.account();
        const found = await stored(() => journal.byId(transferId));
        const isOurs = account.ok && found.ok && found.value?.account === account.value;
        return isOurs && found.value !== undefined ? settling.byPerson(found.value, word) : undefined;
      },
    },
    reconcile: async () => {
      const settled = await settling.reconcile();
      // Lets go of what nobody approved in time.
      if (context.knowsAccount) await transfersWaiting(context, parts);
      return settled;
    },
    waiting: async () => {
      const found = await transfersWaiting(context, parts);
      return found.ok ? found.value.length : 0;
    },
    unsettled: () => unsettledTransfers(journal, context.journalAccount()),
    rest: () => telling.rest(),
    journal,
  };
}
