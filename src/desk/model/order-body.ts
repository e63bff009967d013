/**
 * From a caller's request to what is journaled and sent: the wire body, and the digest that names it.
 */

import { type Compliance, type CreateOrderBody, canonicalDigest, defined, type Market } from "../../contract/index.ts";
import type { OrderRequest } from "./intent.ts";
import type { ReplacedOrder } from "./replaced-order.ts";
import type { Environment } from "./submission.ts";

/** The wire body of a request: canonical symbol, own `userref`, the profile's compliance where none is given. */
export function orderBody(
  request: OrderRequest,
  market: Market,
  userref: string,
  compliance: Compliance | undefined,
): CreateOrderBody & { readonly userref: string } {
  const metadata = request.compliance ?? compliance;
  return {
    symbol: market.symbol,
    side: request.side,
    type: request.type,
    ...defined({
      volume: request.base_volume,
      amount: request.quote_amount,
      price: request.price,
      time_in_force: request.time_in_force,
      post_only: request.post_only,
    }),
    userref,
    ...defined({ compliance: metadata }),
  };
}

/** SHA-256 over every field of the order and of what it replaces, the account and the environment, as hex. */
export function orderDigest(
  order: CreateOrderBody,
  account: string,
  environment: Environment,
  replaces?: ReplacedOrder,
): string {
  return canonicalDigest({ account, environment, order, replaces });
}

/** The request that a wire body was made of. */
export function requestOf({ volume, amount, validate_only: _never, ...order }: CreateOrderBody): OrderRequest {
  return { ...defined(order), ...defined({ base_volume: volume, quote_amount: amount }) } as OrderRequest;
}
