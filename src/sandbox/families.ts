/**
 * The API families that the sandbox serves. The last one also answers malformed requests, and those that belong to no family. Entry
 * point: `familiesOf`.
 */
import { aliasFamily } from "./alias/alias-family.ts";
import type { Family } from "./http/family.ts";
import { openFamily } from "./open/open-family.ts";
import { referenceFamily } from "./reference/reference-family.ts";
import type { Service } from "./service/service.ts";
import { streamFamily } from "./stream/stream-family.ts";
import { tradingFamily } from "./trading/trading-family.ts";
import { transferFamily } from "./transfers/transfer-family.ts";

/** @param drafts whether the Payment API and the Remittance API are switched on */
export function familiesOf(
  service: Service,
  { drafts = false }: { readonly drafts?: boolean } = {},
): readonly Family[] {
  // The stream comes before the Open API, as its path has the prefix of the Open API.
  return [
    referenceFamily(service),
    tradingFamily(service),
    aliasFamily(service),
    transferFamily(service, drafts),
    streamFamily(service),
    openFamily(service),
  ];
}
