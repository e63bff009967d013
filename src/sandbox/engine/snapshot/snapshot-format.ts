/**
 * The format of a snapshot on disk, in this version and every earlier one. Entry points: `EngineSnapshot`,
 * `StoredEngineSnapshot`, `SNAPSHOT_VERSION`.
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
import type { TransferRows } from "./transfer-rows.ts";

/** Rises with every change of the format, together with a step in `snapshot-migration.ts`. */
export const SNAPSHOT_VERSION = 5;

/** A record with its BigInts as decimal text. */
export type Written<T> = {
  readonly [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : T[K];
};

export interface MarketRow {
  readonly rule: Omit<Written<MarketRule>, "tickBands"> & {
    readonly tickBands: readonly Written<MarketRule["tickBands"][number]>[];
  };
  readonly status: MarketStatus;
  readonly bookSeq: number;
  readonly fairPrice: string;
  readonly tape: TapeRows;
}

type AccountRow = readonly [accountId: string, krwAccountLinked: boolean, house: boolean, cancelAt: Millis | null];

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
  readonly orders: readonly Written<OrderRecord>[];
  readonly fills: readonly Written<FillRecord>[];
  readonly settlements: readonly SettlementRow[];
}

/** Version 4 had no payments, no remittances, and not the house accounts for them. */
type FourthSnapshot = Omit<EngineSnapshot, "version" | keyof TransferRows> & { readonly version: 4 };

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

export type StoredEngineSnapshot = EngineSnapshot | FourthSnapshot | ThirdSnapshot | SecondSnapshot | FirstSnapshot;
