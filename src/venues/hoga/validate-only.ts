/** Checking an order without placing it: what both order APIs have in common. */
import { type CreateOrderBody, type Fault, localFault } from "../../contract/index.ts";

/** @returns a fault when an order that is to be placed says that it is only to be checked. */
export function validateOnlyFault({ validate_only: isCheck }: CreateOrderBody): Fault | undefined {
  if (isCheck !== true) return undefined;
  const message = "validate_only: this would place nothing; use validateOrder. Nothing was sent.";
  return localFault("ELocal:Invalid input", { message, field: "validate_only" });
}

/** Tells whether the answer to a check shows no id. An answer with an id is an order that was placed nevertheless. */
export function placedNothing(answer: object): boolean {
  return !("uuid" in answer || "orderId" in answer || "txid" in answer);
}
