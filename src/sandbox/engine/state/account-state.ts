/** An account as the exchange remembers it: its orders, fills, settlements, payments and remittances. */
import type {
  FillRecord,
  Millis,
  PaymentRecord,
  RemittanceRecord,
  SettlementState,
  TransferApplied,
  TransferCommand,
} from "../../model/index.ts";
import type { LiveOrder } from "./market-state.ts";

export interface Account {
  readonly accountId: string;
  krwAccountLinked: boolean;
  readonly house: boolean;
  /** When the cancel timer fires. */
  cancelAt: Millis | null;
  readonly open: Map<string, LiveOrder>;
  /** Oldest first; empty for house accounts, whose closed orders are forgotten. */
  readonly history: LiveOrder[];
  readonly fills: FillRecord[];
  readonly byUserref: Map<string, LiveOrder[]>;
  /** Oldest first. */
  readonly payments: PaymentEntry[];
  readonly remittances: RemittanceEntry[];
  /** By number of the trade; a fill that is not in here was settled when it was made. */
  readonly settlements: Map<number, SettlementEntry>;
}

/** A payment as it stands, and when it goes on by itself. */
export interface PaymentEntry {
  record: PaymentRecord;
  dueAt: Millis | null;
}

export interface RemittanceEntry {
  record: RemittanceRecord;
  dueAt: Millis | null;
}

/** The answer to a request with an idempotency key. */
export interface IdempotentAnswer {
  readonly type: TransferCommand["type"];
  readonly digest: string;
  readonly answer: TransferApplied;
}

/** What became of one fill's settlement. */
export interface SettlementEntry {
  readonly accountId: string;
  readonly order: LiveOrder;
  readonly fill: FillRecord;
  readonly dueAt: Millis;
  state: SettlementState;
  endedAt: Millis | null;
  /** The proceeds may not leave: it is pending, or it failed and no KRW account was linked since. */
  held: boolean;
}
