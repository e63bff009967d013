/** Owns the endpoint table of transfers: the Payment API and the Remittance API. Source: service.md#transfers. */
import { PAYMENT_ENDPOINTS } from "./payment.ts";
import { REMITTANCE_ENDPOINTS } from "./remittance.ts";

export const TRANSFER_ENDPOINTS = { ...PAYMENT_ENDPOINTS, ...REMITTANCE_ENDPOINTS } as const;

export type TransferEndpointId = keyof typeof TRANSFER_ENDPOINTS;
export const TRANSFER_ENDPOINT_IDS = Object.keys(TRANSFER_ENDPOINTS) as TransferEndpointId[];
