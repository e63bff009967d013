/** Commands, the only way to change the exchange, and what comes back: what was applied, or a refusal. */
import type { FaultCode, KycLevel, OrderState } from "../../contract/index.ts";
import type { KeyChange, KeyRecord, WebhookRecord } from "./account.ts";
import type { MarketStatus } from "./market.ts";
import type { FillRecord, OrderRecord, OrderTerms } from "./order.ts";
import type { PaymentState, RemittanceState, TransferApplied, TransferCommand } from "./transfer.ts";
import type { Millis, Units } from "./units.ts";

export interface PlaceCommand extends OrderTerms {
  readonly type: "place";
  /** Stands as the order states it; one that states none is not judged by it. Source: service.md#kyc-level. */
  readonly kycLevel?: KycLevel | undefined;
  /** Ends a post-only order that would match as canceled, for exchanges that take such an order; it is refused otherwise. */
  readonly whenCrossing?: "cancel" | undefined;
}

export type Command =
  | PlaceCommand
  | TransferCommand
  | { readonly type: "cancel"; readonly accountId: string; readonly symbol: string; readonly orderId: string }
  | { readonly type: "cancelAll"; readonly accountId: string; readonly symbol: string | null }
  | { readonly type: "nonce"; readonly keyId: string; readonly nonce: bigint }
  | { readonly type: "createAccount"; readonly accountId: string; readonly krwAccountLinked: boolean }
  | { readonly type: "deposit"; readonly accountId: string; readonly asset: string; readonly amount: Units }
  /** At most what is withdrawable; KRW only to a linked KRW account. */
  | { readonly type: "withdraw"; readonly accountId: string; readonly asset: string; readonly amount: Units }
  /** An `enterprise` key needs an allow-list. The id of a revoked key cannot be used again. */
  | { readonly type: "createKey"; readonly key: KeyRecord }
  | { readonly type: "setKey"; readonly keyId: string; readonly change: KeyChange }
  | { readonly type: "revokeKey"; readonly keyId: string }
  | { readonly type: "registerWebhook"; readonly webhook: Omit<WebhookRecord, "createdAt"> }
  | { readonly type: "unregisterWebhook"; readonly webhookId: string }
  /** Moves the exchange's clock further ahead of the machine's; what is due by then happens. */
  | { readonly type: "advanceClock"; readonly byMs: Millis }
  | { readonly type: "setMarketStatus"; readonly symbol: string; readonly status: MarketStatus }
  | { readonly type: "linkKrwAccount"; readonly accountId: string; readonly linked: boolean }
  /**
   * The dead man's switch: cancels all orders of the account after that time unless any of its keys arms it again before; 0
   * disarms it. At most a day.
   */
  | { readonly type: "armCancelTimer"; readonly accountId: string; readonly timeoutMs: Millis }
  /** Carries out what is due. An exchange with a journal also does so before every command. */
  | { readonly type: "passTime" }
  /** Makes one tick of the simulated market flow, in all markets: as their past went, but for the ticks in journals of earlier versions. */
  | { readonly type: "tick"; readonly paced?: true };

/** Come from calls that are numbered by nonces. */
export type CallCommand =
  | TransferCommand
  | Extract<Command, { readonly type: "nonce" | "place" | "cancel" | "cancelAll" | "armCancelTimer" }>;

/** The engine refused the command; nothing changed. */
export interface Refusal {
  readonly ok: false;
  readonly code: FaultCode;
  readonly message: string;
  readonly field?: string | undefined;
  /** The order's final state, with `EOrder:Order already closed`. */
  readonly state?: OrderState;
  /** The state of the payment or remittance, where that is the reason. */
  readonly transferState?: PaymentState | RemittanceState;
}

export type Applied =
  | TransferApplied
  | { readonly ok: true; readonly kind: "order"; readonly order: OrderRecord; readonly fills: readonly FillRecord[] }
  | { readonly ok: true; readonly kind: "canceled"; readonly orderIds: readonly string[] }
  | { readonly ok: true; readonly kind: "done" };
