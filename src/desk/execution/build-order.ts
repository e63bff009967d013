/**
 * From a caller's request to the body of an intent: the order that would be sent, where it would be sent, and its digest.
 *
 * Invariant: nothing is recorded and nothing is sent.
 */
import { defined, type Fault, failed, localFault, ok, quoted, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentBody, OrderRequest } from "../model/intent.ts";
import { orderBody, orderDigest } from "../model/order-body.ts";
import { isOfStep, type StepUserref } from "../model/plan.ts";
import { type SizedOrder, sizedOrder, withFitting } from "./sized-order.ts";

/**
 * @param name of the step of a plan that it comes of: no other order has such a one
 * @returns a fault that names every problem, where the request does not fit its market
 */
export async function buildOrder(
  context: DeskContext,
  request: OrderRequest,
  name?: StepUserref,
): Promise<Result<IntentBody>> {
  const account = await context.account();
  if (!account.ok) return account;
  const sized = await sizedOrder(context, request);
  if (!sized.ok) return sized;
  const { market, problems: found } = sized.value;
  const problems = await withFitting(context, market, request, found);
  const [first] = problems;
  return first === undefined ? bodyOf(context, sized.value, name) : failed(joined(first, problems));
}

/** @param sized fit for its market @param name as above */
export async function bodyOf(
  context: DeskContext,
  { market, request, sizing }: SizedOrder,
  name?: StepUserref,
): Promise<Result<IntentBody>> {
  const { userref } = request;
  if (userref !== undefined && userref !== name && isOfStep(userref)) return failed(reservedFault(userref));
  const account = await context.account();
  if (!account.ok) return account;
  const { ids, venue, compliance, unproven } = context.parts;
  const untried = unproven?.();
  if (untried !== undefined) return failed(untried);
  if (venue.keyId === undefined) return failed(localFault("ELocal:No key"));
  const order = orderBody(request, market, request.userref ?? ids.userref(), compliance);
  const digest = orderDigest(order, account.value, venue.environment);
  return ok({ order, environment: venue.environment, keyId: venue.keyId, digest, ...defined({ sizing }) });
}

function reservedFault(userref: string): Fault {
  return localFault("ELocal:Invalid input", {
    field: "userref",
    message: `Userref ${quoted(userref, 64)} is of the kind that orders of plans have, and is kept for these. Nothing was sent.`,
    nextAction: "Leave userref out, or choose another.",
  });
}

/** All problems in one fault: the first gives the field and code, the message names every one, with the proposals of all. */
function joined(first: Fault, problems: readonly Fault[]): Fault {
  const proposals = problems.flatMap((problem) => problem.proposals ?? []);
  const message = `${problems.map((problem) => problem.message).join("; ")}. Nothing was sent.`;
  return { ...first, message, ...(proposals.length > 0 && { proposals }) };
}
