/** The one who asks for payments and remittances, and remembers what was wanted and what was told. */
import type { Desk, TransferDesk, TransferReport } from "../../src/desk/index.ts";
import type { Action, Deal } from "./plan.ts";
import type { SimProcess } from "./process.ts";

export const KIM = { name: "Kim Minji", account: "110-234-567890", bank_code: "BOFAUS3N", country: "US" };
/** Given back at a time, KRW. */
export const PART_KRW = "10000";

type Step = Extract<Action, { readonly type: "transfer" }>;

/** What a desk said of one transfer that it was asked for. */
export interface TransferTold {
  readonly transferId: string;
  readonly outcome: TransferReport["outcome"];
}

interface Ask {
  readonly by: SimProcess;
  end: "told" | "nothing" | undefined;
}

/** What is known of a deal to whoever asks. */
interface Known {
  /** Of the payment, or of the quote of a remittance. */
  quoteId?: string;
  remittanceId?: string;
}

export class TransferScript {
  readonly told: TransferTold[] = [];
  /** How many were wanted, by deal and verb: who asks again for what they heard nothing of still wants the one. */
  readonly asked = new Map<string, number>();
  readonly #asks = new Map<string, Ask[]>();
  readonly #known = new Map<number, Known>();
  readonly #deals: readonly Deal[];

  constructor(deals: readonly Deal[]) {
    this.#deals = deals;
  }

  async take({ transfers }: Desk, process: SimProcess, step: Step): Promise<string> {
    const deal = this.#deals[step.deal];
    if (transfers === undefined || deal === undefined) return "no transfers here";
    switch (step.verb) {
      case "make":
        return deal.kind === "payment" ? this.#pay(transfers, process, step) : this.#remit(transfers, process, step);
      case "back":
        return this.#back(transfers, process, step);
      case "look":
        return this.#look(transfers, process, step);
      default:
        return step.verb satisfies never;
    }
  }

  async #pay(transfers: TransferDesk, process: SimProcess, step: Step): Promise<string> {
    const known = this.#knownOf(step);
    if (known.quoteId === undefined || !step.again) {
      const body = { amount: this.#amountOf(step), pay_asset: "BTC", order_ref: `deal-${step.deal}` };
      const quoted = await transfers.quotePayment(body);
      if (!quoted.ok) return quoted.fault.code;
      known.quoteId = quoted.value.payment?.payment_id ?? "";
    }
    const { quoteId } = known;
    return this.#made(process, step, () => transfers.make({ kind: "confirm_payment", payment_id: quoteId }));
  }

  async #remit(transfers: TransferDesk, process: SimProcess, step: Step): Promise<string> {
    const known = this.#knownOf(step);
    if (known.quoteId === undefined || !step.again) {
      const way = { source_asset: "KRW", target_currency: "USD", destination_country: "US" };
      const quoted = await transfers.quoteRemittance({ ...way, amount: this.#amountOf(step) });
      if (!quoted.ok) return quoted.fault.code;
      known.quoteId = quoted.value.quote?.quote_id ?? "";
    }
    const { quoteId } = known;
    const beside = { beneficiary: KIM, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY_SUPPORT" };
    return this.#made(process, step, async () => {
      const report = await transfers.make({ kind: "send_remittance", quote_id: quoteId, ...beside });
      if (report.remittance !== undefined) known.remittanceId = report.remittance.remittance_id;
      return report;
    });
  }

  /** A part of a payment, or the whole remittance. */
  async #back(transfers: TransferDesk, process: SimProcess, step: Step): Promise<string> {
    const { quoteId, remittanceId } = this.#knownOf(step);
    if (this.#deals[step.deal]?.kind === "remittance") {
      if (remittanceId === undefined) return "nothing to take back";
      return this.#made(process, step, () =>
        transfers.make({ kind: "cancel_remittance", remittance_id: remittanceId }),
      );
    }
    if (quoteId === undefined) return "nothing to give back";
    return this.#made(process, step, () =>
      transfers.make({ kind: "refund_payment", payment_id: quoteId, amount: PART_KRW }),
    );
  }

  async #look(transfers: TransferDesk, process: SimProcess, step: Step): Promise<string> {
    const { quoteId, remittanceId } = this.#knownOf(step);
    const isPayment = this.#deals[step.deal]?.kind === "payment";
    const id = isPayment ? quoteId : remittanceId;
    if (id === undefined) return "nothing to look at";
    const view = await (isPayment ? transfers.payment({ id }) : transfers.remittance({ id }));
    if (!view.ok) return view.fault.code;
    if (process.alive && view.value.state !== "unknown")
      for (const verb of ["make", "back"]) this.#heardOf(`${step.deal} ${verb}`);
    return view.value.state;
  }

  async #made(process: SimProcess, step: Step, make: () => Promise<TransferReport>): Promise<string> {
    const what = `${step.deal} ${step.verb}`;
    const before = this.#asks.get(what) ?? [];
    const isBeside = before.some(({ end, by }) => end === undefined && by.alive);
    const isRepeated = !isBeside && before.some(({ end, by }) => end === "nothing" || (end === undefined && !by.alive));
    const ask: Ask = { by: process, end: undefined };
    this.#asks.set(what, [...before, ask]);
    if (!isRepeated) this.asked.set(what, (this.asked.get(what) ?? 0) + 1);
    const report = await make();
    if (process.alive) this.#answer(what, ask, report);
    return `${report.outcome} ${report.state} ${report.transfer_id ?? "-"} ${report.error?.code ?? ""}`.trimEnd();
  }

  #answer(what: string, ask: Ask, { outcome, error, transfer_id }: TransferReport): void {
    if (transfer_id !== undefined) this.told.push({ transferId: transfer_id, outcome });
    const isTwin = error?.code === "ELocal:Twin unresolved";
    const isOther = outcome === "not_sent" && error !== undefined && error.code !== "ELocal:Not placed";
    ask.end = outcome === "unknown" || isTwin ? "nothing" : "told";
    // A refusal for a reason of its own says nothing about the one before.
    if (ask.end === "told" && !isOther) this.#heardOf(what);
  }

  #heardOf(what: string): void {
    for (const each of this.#asks.get(what) ?? []) if (each.end === "nothing" || !each.by.alive) each.end = "told";
  }

  #knownOf({ deal }: Step): Known {
    const known = this.#known.get(deal) ?? {};
    this.#known.set(deal, known);
    return known;
  }

  #amountOf({ deal }: Step): string {
    return this.#deals[deal]?.amount ?? "0";
  }
}
