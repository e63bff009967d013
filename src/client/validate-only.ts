/** The check of an order that places nothing, as far as both order APIs have it in common. */
import { type CreateOrderBody, type Fault, localFault } from "../contract/index.ts";

/** @returns a fault for an order that says it is only to be checked, where it was to be placed. */
export function validateOnlyFault({ validate_only: isCheck }: CreateOrderBody): Fault | undefined {
  if (isCheck !== true) return undefined;
  const message = "validate_only: this would place nothing; use validateOrder. Nothing was sent.";
  return localFault("ELocal:Invalid input", { message, field: "validate_only" });
}

/** Whether the answer to a check is that of a check. One with an id in it is an order that was placed all the same. */
export function placedNothing(answer: object): boolean {
  return !("uuid" in answer || "orderId" in answer || "txid" in answer);
}
