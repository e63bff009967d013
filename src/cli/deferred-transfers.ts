/** Payments and remittances of a desk that is opened by its first use. */
import { failed, localFault, ok, type Result } from "../contract/index.ts";
import {
  type Desk,
  deniedTransfer,
  type Stamp,
  type TransferDesk,
  type TransferKind,
  type TransferReport,
} from "../desk/index.ts";

export function deferredTransfers(opened: () => Promise<Result<Desk>>, stamp: Stamp): TransferDesk {
  const transfers = async (): Promise<Result<TransferDesk>> => {
    const desk = await opened();
    if (!desk.ok) return desk;
    return desk.value.transfers === undefined ? failed(localFault("ELocal:Not started")) : ok(desk.value.transfers);
  };
  const look = async <T>(use: (desk: TransferDesk) => Promise<Result<T>>): Promise<Result<T>> => {
    const desk = await transfers();
    return desk.ok ? use(desk.value) : desk;
  };
  const write = async (
    kind: TransferKind,
    use: (desk: TransferDesk) => Promise<TransferReport>,
  ): Promise<TransferReport> => {
    const desk = await transfers();
    return desk.ok ? use(desk.value) : deniedTransfer(stamp, kind, desk.fault);
  };
  return {
    quotePayment: (body) => look((desk) => desk.quotePayment(body)),
    quoteRemittance: (body) => look((desk) => desk.quoteRemittance(body)),
    payment: (name) => look((desk) => desk.payment(name)),
    remittance: (name) => look((desk) => desk.remittance(name)),
    make: (request) => write(request.kind, (desk) => desk.make(request)),
    pending: () => look((desk) => desk.pending()),
    approve: (...yes) => write("confirm_payment", (desk) => desk.approve(...yes)),
    deny: (transferId) => look((desk) => desk.deny(transferId)),
    sealApproval: (transferId, request) => look((desk) => desk.sealApproval(transferId, request)),
    answerApproval: (answer) => write(answer.request.kind, (desk) => desk.answerApproval(answer)),
    settle: async (transferId, word) => {
      const desk = await transfers();
      return desk.ok ? desk.value.settle(transferId, word) : undefined;
    },
  };
}
