/**
 * The format of a snapshot on disk, in this version and every earlier one. Entry points: `EngineSnapshot`,
 * `PartedSnapshot`, `StoredEngineSnapshot`, `SNAPSHOT_VERSION`.
 */
import type {
  FillRecord,
  KeyRecord,
  MarketRule,
  MarketStatus,
  Millis,
  OrderRecord,
  WebhookRecord,
} from "../../model/index.ts";
import type { RandomWords } from "../core/random.ts";
import type { TapeRows } from "../market/tape.ts";
import type { SettlementRow } from "../orders/settlement.ts";
import type { LedgerRow } from "../state/ledger.ts";
import type { Written } from "./record-rows.ts";
import type { TransferRows } from "./transfer-rows.ts";

/** Rises with every change of the format, together with a step in `snapshot-migration.ts`. */
export const SNAPSHOT_VERSION = 8;

export interface MarketRow {
  readonly rule: Omit<Written<MarketRule>, "tickBands"> & {
    readonly tickBands: readonly Written<MarketRule["tickBands"][number]>[];
  };
  readonly status: MarketStatus;
  readonly bookSeq: number;
  readonly fairPrice: string;
  /** Where the live trading begins that has a past before it. */
  readonly past: readonly [at: Millis, price: string] | null;
  readonly tape: TapeRows;
}

type AccountRow = readonly [accountId: string, krwAccountLinked: boolean, house: boolean, cancelAt: Millis | null];

/** An order and its place among those of its account, as not all before it need be in the snapshot. */
export type OrderRow = Written<OrderRecord> & { readonly position: number };

export interface EngineSnapshot extends TransferRows {
  readonly version: typeof SNAPSHOT_VERSION;
  readonly seed: number;
  readonly marketMaker: boolean;
  readonly random: RandomWords;
  readonly now: Millis;
  readonly lastTickAt: Millis;
  readonly tradeSeq: number;
  readonly houseOrderSeq: number;
  readonly changes: number;
  readonly markets: readonly MarketRow[];
  readonly accounts: readonly AccountRow[];
  readonly clockOffset: Millis;
  readonly keys: readonly KeyRecord[];
  readonly revokedKeys: readonly string[];
  readonly webhooks: readonly WebhookRecord[];
  readonly nonces: readonly (readonly [keyId: string, nonce: string])[];
  readonly userrefs: readonly (readonly [key: string, usedAt: Millis])[];
  readonly ledger: {
    readonly balances: readonly LedgerRow[];
    readonly deposits: readonly (readonly [string, string])[];
  };
  readonly orders: readonly OrderRow[];
  readonly fills: readonly Written<FillRecord>[];
  readonly settlements: readonly SettlementRow[];
}

/** The lists that grow with what was traded; a file holds them in parts. */
export const LONG_LISTS = [
  "orders",
  "fills",
  "settlements",
  "userrefs",
  "payments",
  "remittances",
  "answers",
] as const satisfies readonly (keyof EngineSnapshot)[];

export type LongList = (typeof LONG_LISTS)[number];

/** A snapshot without its long lists. */
export type SnapshotHead = Omit<EngineSnapshot, LongList>;

export type LongRow<List extends LongList> = EngineSnapshot[List][number];

/** Some entries of a long list. */
export interface SnapshotPart<List extends LongList = LongList> {
  readonly list: List;
  readonly rows: readonly LongRow<List>[];
}

/** A snapshot in parts that are made one by one: what they show is the state when the snapshot was begun. */
export interface PartedSnapshot {
  readonly head: SnapshotHead;
  readonly partCount: number;
  /** Over all parts. */
  readonly rowCount: number;
  readonly parts: Iterable<SnapshotPart>;
}

/** Version 7 had no past, and no candles of days. */
export type SeventhSnapshot = Omit<EngineSnapshot, "version" | "markets"> & {
  readonly version: 7;
  readonly markets: readonly (Omit<MarketRow, "past" | "tape"> & { readonly tape: Omit<TapeRows, "days"> })[];
};

/** Version 6 held every order, so that an order's place followed from its row. */
export type SixthSnapshot = Omit<SeventhSnapshot, "version" | "orders"> & {
  readonly version: 6;
  readonly orders: readonly Written<OrderRecord>[];
};

/** Version 5 was one record in the file; its content is the same. */
type FifthSnapshot = Omit<SixthSnapshot, "version"> & { readonly version: 5 };

/** Version 4 had no payments, no remittances, and not the house accounts for them. */
type FourthSnapshot = Omit<FifthSnapshot, "version" | keyof TransferRows> & { readonly version: 4 };

/** Version 3 had no revoked keys, no webhooks and no clock of its own. */
type ThirdSnapshot = Omit<FourthSnapshot, "version" | "revokedKeys" | "webhooks" | "clockOffset"> & {
  readonly version: 3;
};

/** Version 2 had no cancel timers. */
type SecondSnapshot = Omit<ThirdSnapshot, "version" | "accounts"> & {
  readonly version: 2;
  readonly accounts: readonly (readonly [accountId: string, krwAccountLinked: boolean, house: boolean])[];
};

/** Version 1 had no settlements. */
export type FirstSnapshot = Omit<SecondSnapshot, "version" | "settlements"> & { readonly version: 1 };

export type StoredEngineSnapshot =
  | EngineSnapshot
  | SeventhSnapshot
  | SixthSnapshot
  | FifthSnapshot
  | FourthSnapshot
  | ThirdSnapshot
  | SecondSnapshot
  | FirstSnapshot;
