/** What belongs to an account besides its orders: keys, webhooks, balances. */
import type { Permission, Tier, WebhookType } from "../../contract/index.ts";
import type { Millis, Units } from "./units.ts";

export interface KeyRecord {
  readonly keyId: string;
  /** Base64 text, as handed to the owner. */
  readonly secret: string;
  readonly accountId: string;
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** Empty means any address. Addresses such as `127.0.0.1`, as they were written. */
  readonly ipAllowList: readonly string[];
  readonly rejectDuplicateUserref: boolean;
}

/** What may change about a key; what is absent stays. */
export type KeyChange = Partial<Pick<KeyRecord, "permissions" | "ipAllowList" | "rejectDuplicateUserref">>;

/** Where a partner wants to be told of what happens on an account. */
export interface WebhookRecord {
  readonly webhookId: string;
  readonly accountId: string;
  readonly url: string;
  /** `whsec_` and base64, as handed to the partner. */
  readonly secret: string;
  readonly types: readonly WebhookType[];
  readonly createdAt: Millis;
}

export interface BalanceRecord {
  readonly asset: string;
  readonly available: Units;
  readonly locked: Units;
  /** Of what is available, the part that may leave the exchange: proceeds count once they are settled. */
  readonly withdrawable: Units;
}
