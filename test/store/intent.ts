/** An intent as the store's tests record it: of the account "main", ready to be sent. */
import type { TestBody } from "./store-suite.ts";

export interface NewTestIntent {
  readonly intentId: string;
  readonly account: string;
  readonly userref: string;
  readonly state: string;
  readonly nonce: string | null;
  readonly orderId: string | null;
  readonly body: TestBody;
  readonly unit: "KRW";
  readonly createdAtMs: number;
}

export const newIntent = (id: string, more: Partial<NewTestIntent> = {}): NewTestIntent => ({
  intentId: id,
  account: "main",
  userref: `ref-${id}`,
  state: "ready",
  nonce: null,
  orderId: null,
  body: { n: 1 },
  unit: "KRW",
  createdAtMs: 1_000,
  ...more,
});
