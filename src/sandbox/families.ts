/**
 * Owns which API families the sandbox serves. The last also answers what belongs to none, and garbage.
 */
import type { Family } from "./http/family.ts";
import { openFamily } from "./http/open-family.ts";
import type { Service } from "./http/service.ts";
import { tradingFamily } from "./trading/trading-family.ts";

export function familiesOf(service: Service): readonly Family[] {
  return [tradingFamily(service), openFamily(service)];
}
