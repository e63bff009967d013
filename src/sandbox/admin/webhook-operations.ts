/** The admin operations on webhooks: endpoints, and their deliveries. Source: service.md#administration. */
import { z } from "zod";
import { WEBHOOK_SECRET_PREFIX, WEBHOOK_TYPES } from "../../contract/index.ts";
import type { WebhookRecord } from "../model/index.ts";
import { destinationProblem } from "../webhook/destination.ts";
import type { Delivery } from "../webhook/outbox-state.ts";
import { timeText } from "../wire/market-view.ts";
import { accountId } from "./exchange-operations.ts";
import {
  type AdminCall,
  answer,
  applied,
  badArgument,
  idOf,
  notFound,
  type Operation,
  type Outcome,
  operation,
} from "./operation.ts";

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const DELIVERIES_DEFAULT = 100;

function webhookView({ webhookId, accountId: owner, url, types, createdAt }: WebhookRecord): object {
  return { webhook_id: webhookId, account_id: owner, url, types, created_at: timeText(createdAt) };
}

function deliveryView({ number, webhookId, event, state, attempts, at, problem }: Delivery): object {
  return {
    ...{ delivery_id: number, webhook_id: webhookId, event_id: event.id, type: event.type, state, attempts },
    [state === "pending" ? "due_at" : `${state}_at`]: timeText(at),
    problem,
  };
}

const deliveryQuery = z.strictObject({
  state: z.enum(["pending", "parked", "delivered"]).optional(),
  webhook_id: z.string().max(64).optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, { error: "use a whole number from 1 to 9999" })
    .optional(),
});

function register(call: AdminCall<z.infer<typeof registration>>): Outcome {
  const { account_id: owner, url, types = WEBHOOK_TYPES } = call.body;
  const problem = destinationProblem(url, call.allowRemote);
  if (problem !== undefined) return badArgument("url", problem);
  const webhookId = `wh_${Buffer.from(call.randomBytes(ID_BYTES)).toString("hex")}`;
  const secret = `${WEBHOOK_SECRET_PREFIX}${Buffer.from(call.randomBytes(SECRET_BYTES)).toString("base64")}`;
  // As it is sent to, however it was written.
  const { href } = new URL(url);
  const webhook = { webhookId, accountId: owner, url: href, secret, types: [...new Set(types)] };
  const shown = (): object => ({ ...webhookView({ ...webhook, createdAt: call.at }), secret });
  return applied(call, { type: "registerWebhook", webhook }, shown, 201);
}

const registration = z.strictObject({
  account_id: accountId,
  url: z.string(),
  types: z.array(z.enum(WEBHOOK_TYPES)).min(1).optional(),
});

/** @param change changes the delivery; returns false when its state does not permit that, which is then refused with `refusal` */
function changeDelivery(call: AdminCall, refusal: string, change: (id: number) => boolean): Outcome {
  const id = idOf(call.params["delivery_id"]);
  if (id === undefined || call.webhooks.delivery(id) === undefined) return notFound("delivery_id", "delivery");
  if (!change(id)) return badArgument("delivery_id", refusal, 409);
  const delivery = call.webhooks.delivery(id);
  return answer(delivery === undefined ? {} : deliveryView(delivery));
}

export const WEBHOOK_OPERATIONS: readonly Operation[] = [
  operation({
    method: "POST",
    path: "/webhooks",
    summary: "register an endpoint of an account; its secret is shown this once. All types unless some are named",
    example: '{ "account_id": "paper", "url": "http://127.0.0.1:8422/", "types": ["order.filled", "order.canceled"] }',
    body: registration,
    run: register,
  }),
  operation({
    method: "GET",
    path: "/webhooks",
    summary: "all endpoints",
    run: ({ service }) => answer({ webhooks: service.exchange.webhooks().map(webhookView) }),
  }),
  operation({
    method: "DELETE",
    path: "/webhooks/{webhook_id}",
    summary: "remove an endpoint, and what was still to be delivered to it",
    run(call) {
      const { webhook_id: webhookId = "" } = call.params;
      if (call.service.exchange.webhook(webhookId) === undefined) return notFound("webhook_id", "webhook");
      return applied(call, { type: "unregisterWebhook", webhookId }, () => ({ webhook_id: webhookId, removed: true }));
    },
  }),
  operation({
    method: "GET",
    path: "/deliveries",
    summary: "deliveries, newest first: pending, parked (given up), or delivered; pending unless said",
    example: "?state=parked&limit=20",
    query: deliveryQuery,
    run({ webhooks, query: { state = "pending", webhook_id: webhookId, limit } }) {
      const found = webhooks
        .deliveries(state)
        .filter((each) => webhookId === undefined || each.webhookId === webhookId);
      const count = limit === undefined ? DELIVERIES_DEFAULT : Number(limit); // not money: a count
      return answer({ total: found.length, deliveries: found.slice(-count).reverse().map(deliveryView) });
    },
  }),
  operation({
    method: "POST",
    path: "/deliveries/{delivery_id}/resend",
    summary: "send a parked or delivered one again, with all its attempts",
    run: (call) => changeDelivery(call, "it is pending already", (id) => call.webhooks.resend(id, call.at)),
  }),
  operation({
    method: "POST",
    path: "/deliveries/{delivery_id}/park",
    summary: "make no more attempts for a pending one",
    run: (call) => changeDelivery(call, "it is not pending", (id) => call.webhooks.park(id, call.at)),
  }),
  operation({
    method: "POST",
    path: "/deliveries/resend",
    summary: "send all parked ones again",
    run({ webhooks, at }) {
      const parked = webhooks.deliveries("parked").map(({ number }) => number);
      for (const number of parked) webhooks.resend(number, at);
      return answer({ resent: parked.length });
    },
  }),
];
