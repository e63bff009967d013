/**
 * From a caller's request to the body of an intent: the order that would be sent, where it would be sent, and its digest.
 *
 * Invariant: nothing is recorded and nothing is sent.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentBody, OrderRequest } from "../model/intent.ts";
import { orderBody, orderDigest } from "../model/order-body.ts";
import { checkOrder } from "../risk/order-validation.ts";

/** @returns a fault that names every problem, where the request does not fit its market */
export async function buildOrder(context: DeskContext, request: OrderRequest): Promise<Result<IntentBody>> {
  const account = await context.account();
  if (!account.ok) return account;
  const market = await context.market(request.symbol);
  if (!market.ok) return market;
  const { problems } = checkOrder(market.value, request, context.lacksCompliance(request));
  const [first] = problems;
  if (first !== undefined) return failed(joined(first, problems));
  const { ids, venue, compliance } = context.parts;
  if (venue.keyId === undefined) return failed(localFault("ELocal:No key"));
  const order = orderBody(request, market.value, request.userref ?? ids.userref(), compliance);
  const digest = orderDigest(order, account.value, venue.environment);
  return ok({ order, environment: venue.environment, keyId: venue.keyId, digest });
}

/** All problems in one fault: the first gives the field and code, the message names every one. */
function joined(first: Fault, problems: readonly Fault[]): Fault {
  return { ...first, message: `${problems.map((problem) => problem.message).join("; ")}. Nothing was sent.` };
}
