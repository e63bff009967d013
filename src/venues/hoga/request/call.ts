/**
 * A call before it is sent, and how one is composed from the contract's entry for its endpoint. Path, query and body are checked
 * against the contract, so that nothing malformed is sent. Calls of the Trading API, whose requests are forms, are composed in
 * `trading/operation-call.ts`.
 */
import type { z } from "zod";
import {
  defined,
  type Endpoint,
  type EndpointId,
  failed,
  localFault,
  ok,
  type Result,
  type TradingOperationId,
  type TransferEndpointId,
} from "../../../contract/index.ts";

/** Goes into a request. Undefined members are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/**
 * The API of a call, which decides how it is signed and how its answer is read. `open`: the nonce in a header, a JSON body.
 * `trading`: a form that begins with the nonce, an envelope around every answer. `draft`: as `open`, without a version header.
 */
export type ApiFamily = "open" | "trading" | "draft";

export type CallName = EndpointId | TradingOperationId | TransferEndpointId;

/** The part of a call that is sent. */
export interface OutgoingCall {
  readonly family: ApiFamily;
  readonly endpoint: CallName;
  readonly method: Endpoint["method"];
  /** Path and query, from `/v1`, `/0` or `/v0.1` on. */
  readonly path: string;
  /** JSON, or a form without its nonce. */
  readonly body?: string;
  readonly weight: number;
  readonly isPrivate: boolean;
  /** Tells that it may change something at the venue. Then it is sent at most once, and no answer means unknown. */
  readonly isWrite: boolean;
  /** Identifies the request to the venue. A write of the drafts has one. */
  readonly idempotencyKey?: string;
}

/** A call and how its answer is read. */
export interface Call<T, IsWrite extends boolean = boolean> extends OutgoingCall {
  /** Part of the type, so that a write cannot reach the code that retries reads. */
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
}

/** A call with a check whether an answer belongs to it. On a connection out of step it may be the answer to another request. */
export interface MatchedCall<T, IsWrite extends boolean = boolean> extends Call<T, IsWrite> {
  readonly matches?: ((answer: T) => boolean) | undefined;
}

/** The parts of a contract entry that a call is composed from. */
type CalledEndpoint = Pick<Endpoint, "method" | "path" | "params" | "query" | "body" | "response" | "weight">;

type CallDetail<IsWrite> = Pick<OutgoingCall, "family" | "endpoint" | "isPrivate" | "idempotencyKey"> & {
  readonly isWrite: IsWrite;
};

/**
 * @typeParam T the endpoint's answer
 * @returns the call, or `ELocal:Invalid input` naming the first field that does not match the contract.
 */
export function composeCall<T, IsWrite extends boolean>(
  endpoint: CalledEndpoint,
  detail: CallDetail<IsWrite>,
  { params = {}, query = {}, body }: CallInput,
): Result<Call<T, IsWrite>> {
  const given = Object.entries(defined(query)).map(([name, value]) => [name, String(value)] as const);
  const fault =
    invalidInput(endpoint.params, params) ??
    invalidInput(endpoint.query, Object.fromEntries(given)) ??
    invalidInput(endpoint.body, body ?? {});
  if (fault !== undefined) return failed(fault);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ok({
    ...detail,
    method: endpoint.method,
    path: search === "" ? path : `${path}?${search}`,
    ...defined({ body: body && JSON.stringify(body) }),
    weight: endpoint.weight,
    response: endpoint.response as z.ZodType<T>,
  });
}

/** @returns a fault that names the first field that does not match the schema; undefined when all match */
export function invalidInput(schema: z.ZodType | undefined, value: object) {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = unknown ?? issue?.path.join(".") ?? "";
  const problem = unknown === undefined ? issue?.message : "unknown field";
  const where = field === "" ? "" : `${field}: `;
  return localFault("ELocal:Invalid input", {
    message: `${where}${problem ?? "does not fit the contract"}. Nothing was sent.`,
    ...(field === "" ? {} : { field }),
  });
}
