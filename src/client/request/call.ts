/**
 * A call before it is sent, and composing one of the Open API: what `ENDPOINTS` says about it, with path, query and body
 * checked against the contract, so that nothing malformed leaves.
 */
import type { z } from "zod";
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  failed,
  localFault,
  ok,
  type Result,
  type TradingOperationId,
  type TransferEndpointId,
} from "../../contract/index.ts";

/** Answer of an endpoint, as the contract has it. */
export type Answer<Id extends EndpointId> = z.output<(typeof ENDPOINTS)[Id]["response"]>;

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
export interface Call<T> extends OutgoingCall {
  readonly response: z.ZodType<T>;
  /** Whether the answer is to this request, and not to another. */
  readonly matches?: ((answer: T) => boolean) | undefined;
}

/** @returns the call, or `ELocal:Invalid input` naming the first field that does not fit the contract. */
export function composeCall<Id extends EndpointId>(id: Id, input: CallInput = {}): Result<Call<Answer<Id>>> {
  const endpoint: Endpoint = ENDPOINTS[id];
  const parts = composeParts(endpoint, input);
  if (!parts.ok) return parts;
  return ok({
    family: "open",
    endpoint: id,
    method: endpoint.method,
    ...parts.value,
    weight: endpoint.weight,
    isPrivate: endpoint.auth !== "none",
    response: endpoint.response as z.ZodType<Answer<Id>>,
    isWrite: endpoint.auth === "trade",
  });
}

/** Path with query, and body, once they fit the contract. */
export function composeParts(
  endpoint: Pick<Endpoint, "path" | "params" | "query" | "body">,
  { params = {}, query: asked = {}, body }: CallInput,
): Result<Pick<OutgoingCall, "path" | "body">> {
  const given = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const fault =
    invalidInput(endpoint.params, params) ??
    invalidInput(endpoint.query, Object.fromEntries(given)) ??
    invalidInput(endpoint.body, body ?? {});
  if (fault !== undefined) return failed(fault);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ok({
    path: search === "" ? path : `${path}?${search}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The call that reads the venue's clock. */
export function clockCall(): Call<Answer<"time">> {
  const call = composeCall("time");
  if (!call.ok) throw new Error("the contract refuses its own time call");
  return call.value;
}

/** Also refuses an answer that belongs to another request, as a connection out of step would bring. */
export function withMatch<T>(call: Call<T>, matches: ((answer: T) => boolean) | undefined): Call<T> {
  return { ...call, matches };
}

/** The first field of `value` that does not fit; undefined when all do. */
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
