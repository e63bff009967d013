/**
 * An operation of the admin interface: its path, the shape of its requests, an example, and what it does. The text at `/` and the
 * checks of requests use the same table. Entry points: `operation`, `applied`, `notFound`, `idOf`.
 */
import type { z } from "zod";
import type { FamilyEffectKind } from "../http/family-effect.ts";
import { type Answer, answer, badArgument, changedAnswer, type Fault, faultOf, type Outcome } from "../http/outcome.ts";
import type { Command, Millis } from "../model/index.ts";
import type { RandomBytes } from "../service/order-id.ts";
import type { Service } from "../service/service.ts";
import type { WebhookService } from "../webhook/webhook-service.ts";
import type { FaultPlan } from "./fault-plan.ts";

export interface AdminParts {
  readonly service: Service;
  readonly webhooks: WebhookService;
  readonly faults: FaultPlan;
  /** What can be injected besides, into the families that are served. */
  readonly effects: readonly FamilyEffectKind[];
  readonly machineTime: () => Millis;
  /** Tells how far the exchange's clock is ahead of the machine's. */
  readonly aheadMs: () => Millis;
  readonly randomBytes: RandomBytes;
  /** Lets webhooks go to other machines. */
  readonly allowRemote: boolean;
}

export interface AdminCall<Body = unknown, Query = unknown> extends AdminParts {
  /** The exchange's clock. */
  readonly at: Millis;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
}

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `{placeholders}`. */
  readonly path: string;
  readonly summary: string;
  /** A body or a query. */
  readonly example?: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  run(call: AdminCall): Outcome;
}

type Shape<Body extends z.ZodType, Query extends z.ZodType> = Omit<Operation, "run" | "body" | "query"> & {
  readonly body?: Body;
  readonly query?: Query;
  run(call: AdminCall<z.infer<Body>, z.infer<Query>>): Outcome;
};

/** Erases the types of body and query for the table; a request is checked against both schemas before `run`. */
export function operation<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  shape: Shape<Body, Query>,
): Operation {
  return shape as Operation;
}

/** Applies a command; its answer waits until the command is on disk. */
export function applied(
  { service, at }: AdminCall,
  command: Command,
  body: () => object = () => ({}),
  status: Answer["status"] = 200,
): Outcome {
  const done = service.journaled.apply(command, at);
  if (done.ok) return changedAnswer(body(), status);
  const refused = faultOf(done);
  return refused.field === undefined ? refused : withWireName(refused, refused.field);
}

/** The engine names fields in camelCase, the wire in snake_case. */
function withWireName(refused: Fault, field: string): Fault {
  const wire = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { ...refused, field: wire, code: refused.code.replace(`:${field}`, `:${wire}`) };
}

export function notFound(field: string, what: string): Fault {
  return badArgument(field, `there is no such ${what}`, 404);
}

/** A numeric id in a path; undefined for anything else. */
export function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined; // not money: an id
}

export { answer, badArgument, type Outcome };
