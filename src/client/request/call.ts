/**
 * A call before it is sent, and composing one from what the contract says of its endpoint: path, query and body are checked
 * against the contract, so that nothing malformed leaves. The Trading API, whose requests are forms, composes its own.
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
} from "../../contract/index.ts";

/** What goes into a request. Undefined members are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/**
 * Which API it is a call of: how it is signed, and what its answer looks like. `open`: the nonce in a header, a JSON body.
 * `trading`: a form that begins with the nonce, an envelope around every answer. `transfer`: as `open`, without a version.
 */
export type ApiFamily = "open" | "trading" | "transfer";

export type CallName = EndpointId | TradingOperationId | TransferEndpointId;

/** What of a call leaves. */
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
  /** May change something at the venue: sent at most once, and no answer means unknown. */
  readonly isWrite: boolean;
  /** Names the request to the venue; a write of the drafts has one. */
  readonly idempotencyKey?: string;
}

/** And how its answer is read. */
export interface Call<T, IsWrite extends boolean = boolean> extends OutgoingCall {
  /** The type keeps a write away from what repeats reads. */
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
}

/** And whether an answer is to this request: on a connection out of step it may be another's. */
export interface MatchedCall<T, IsWrite extends boolean = boolean> extends Call<T, IsWrite> {
  readonly matches?: ((answer: T) => boolean) | undefined;
}

/** What the contract says of an endpoint, as far as its calls need it. */
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

/** The first field of `value` that does not match the schema; undefined when all do. */
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
