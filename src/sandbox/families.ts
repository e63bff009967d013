/**
 * Owns which API families the sandbox serves. The last also answers what belongs to none, and garbage.
 */
import { aliasFamily } from "./alias/alias-family.ts";
import type { Family } from "./http/family.ts";
import { openFamily } from "./open/open-family.ts";
import { referenceFamily } from "./reference/reference-family.ts";
import type { Service } from "./service/service.ts";
import { streamFamily } from "./stream/stream-family.ts";
import { tradingFamily } from "./trading/trading-family.ts";
import { transferFamily } from "./transfers/transfer-family.ts";

/** @param drafts whether the draft APIs are switched on. */
export function familiesOf(
  service: Service,
  { drafts = false }: { readonly drafts?: boolean } = {},
): readonly Family[] {
  // The stream's path is one of the Open API's too, so it comes before that.
  return [
    referenceFamily(service),
    tradingFamily(service),
    aliasFamily(service),
    transferFamily(service, drafts),
    streamFamily(service),
    openFamily(service),
  ];
}
