/** The endpoint table of the drafts: the Payment API and the Remittance API. Source: decisions §9. */
import { PAYMENT_ENDPOINTS } from "./payment.ts";
import { REMITTANCE_ENDPOINTS } from "./remittance.ts";

export const DRAFT_ENDPOINTS = { ...PAYMENT_ENDPOINTS, ...REMITTANCE_ENDPOINTS } as const;

export type DraftEndpointId = keyof typeof DRAFT_ENDPOINTS;
export const DRAFT_ENDPOINT_IDS = Object.keys(DRAFT_ENDPOINTS) as DraftEndpointId[];
