/** The state of an account: its orders, fills, settlements, payments and remittances. */
import type {
  FillRecord,
  Millis,
  OrderRecord,
  PaymentRecord,
  RemittanceRecord,
  SettlementState,
  TransferApplied,
  TransferCommand,
  Units,
} from "../../model/index.ts";
import type { RestingOrder } from "../market/order-book.ts";
import type { OpenOrders } from "./open-orders.ts";

export interface Account {
  readonly accountId: string;
  krwAccountLinked: boolean;
  readonly house: boolean;
  /** When the cancel timer fires. */
  cancelAt: Millis | null;
  readonly open: OpenOrders<LiveOrder>;
  /** All orders in memory, oldest first; empty for house accounts, whose closed orders are not kept. The newest never leaves. */
  readonly history: LiveOrder[];
  readonly fills: FillRecord[];
  readonly byUserref: Map<string, LiveOrder[]>;
  /** Oldest first. */
  readonly payments: PaymentEntry[];
  readonly remittances: RemittanceEntry[];
  /** By the trade's number; a fill without an entry was settled when it was made. */
  readonly settlements: Map<number, SettlementEntry>;
}

/** An order's record, and what the engine keeps beside it. */
export interface LiveOrder extends RestingOrder {
  readonly account: Account;
  /** Replaced with every change, so that events and answers can show it as it was. */
  record: OrderRecord;
  /** Locked for this order: quote of a buy, base of a sell. Zero once it has ended. */
  hold: Units;
  /** Its fills, oldest first; not kept for house accounts. */
  fills: readonly FillRecord[];
  /** Its place among all orders of the account, those in the archive included. */
  readonly position: number;
  /** Its neighbours among the open orders of the account, which `OpenOrders` changes alone. */
  older: LiveOrder | undefined;
  newer: LiveOrder | undefined;
}

/** A payment, and when its next scheduled step is due. */
export interface PaymentEntry {
  record: PaymentRecord;
  dueAt: Millis | null;
}

export interface RemittanceEntry {
  record: RemittanceRecord;
  dueAt: Millis | null;
}

/** The answer to a request with an idempotency key, kept to be given again to the same request. */
export interface IdempotentAnswer {
  readonly type: TransferCommand["type"];
  readonly digest: string;
  readonly answer: TransferApplied;
}

/** The settlement of one fill, where it did not settle at once. */
export interface SettlementEntry {
  readonly accountId: string;
  readonly order: LiveOrder;
  readonly fill: FillRecord;
  readonly dueAt: Millis;
  state: SettlementState;
  endedAt: Millis | null;
  /** The proceeds cannot be withdrawn: the settlement is pending, or it failed and no KRW account was linked since. */
  held: boolean;
}
