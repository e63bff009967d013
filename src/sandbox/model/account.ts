/** Holds what belongs to an account besides its orders: keys, webhooks, balances. */
import type { Permission, Tier, WebhookType } from "../../contract/index.ts";
import type { Millis, Units } from "./units.ts";

export interface KeyRecord {
  readonly keyId: string;
  /** Base64 text, as handed to the owner. */
  readonly secret: string;
  readonly accountId: string;
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** Empty means any address. Addresses such as `127.0.0.1`, as entered. */
  readonly ipAllowList: readonly string[];
  readonly rejectDuplicateUserref: boolean;
}

/** Says what can be changed of a key; what is absent stays. */
export type KeyChange = Partial<Pick<KeyRecord, "permissions" | "ipAllowList" | "rejectDuplicateUserref">>;

/** An endpoint that receives the events of an account. */
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
  /** The part of the available amount that can be withdrawn; proceeds of a fill count once they are settled. */
  readonly withdrawable: Units;
  /** Proceeds that are not settled yet; they may be in orders or spent, so it can be more than is available. */
  readonly unsettled: Units;
}
