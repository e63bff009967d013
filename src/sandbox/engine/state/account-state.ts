/** The state of an account: its orders, fills, settlements, payments and remittances. */
import type {
  FillRecord,
  Millis,
  PaymentRecord,
  RemittanceRecord,
  SettlementModeName,
  SettlementState,
  TransferApplied,
  TransferCommand,
} from "../../model/index.ts";
import type { Handle, OpenOrders } from "../memory/index.ts";
import type { Holder } from "./ledger.ts";

export interface Account {
  readonly accountId: string;
  /** What its orders have in place of its id. */
  readonly number: number;
  krwAccountLinked: boolean;
  readonly house: boolean;
  readonly holder: Holder;
  /** The place of its next order among all of the account; zero for house accounts. */
  nextPosition: number;
  /** When the cancel timer fires. */
  cancelAt: Millis | null;
  readonly open: OpenOrders;
  /** All orders in memory, oldest first; empty for house accounts, whose closed orders are not kept. The newest never leaves. */
  readonly history: Handle[];
  readonly fills: FillRecord[];
  readonly byUserref: Map<string, Handle[]>;
  /** Oldest first. */
  readonly payments: PaymentEntry[];
  readonly remittances: RemittanceEntry[];
  /** By the trade's number; a fill without an entry was settled when it was made. */
  readonly settlements: Map<number, SettlementEntry>;
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
  readonly mode: SettlementModeName;
  readonly fill: FillRecord;
  readonly dueAt: Millis;
  state: SettlementState;
  endedAt: Millis | null;
  /** The proceeds cannot be withdrawn: the settlement is pending, or it failed and no KRW account was linked since. */
  held: boolean;
}
