/**
 * A call before it is sent: what `ENDPOINTS` says about it, with path, query and body checked against the
 * contract, so that nothing malformed leaves.
 */
import type { z } from "zod";
import { ENDPOINTS, type Endpoint, type EndpointId, failed, localFault, ok, type Result } from "../contract/index.ts";

/** Answer of an endpoint, as the contract has it. */
export type Answer<Id extends EndpointId> = z.output<(typeof ENDPOINTS)[Id]["response"]>;

/** What goes into a request. Undefined members are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

export interface Call<T> {
  readonly endpoint: EndpointId;
  readonly method: Endpoint["method"];
  /** Path and query, from `/v1` on. */
  readonly path: string;
  readonly body?: string;
  readonly weight: number;
  readonly isPrivate: boolean;
  readonly response: z.ZodType<T>;
  /** May change something at the venue: sent at most once, and no answer means unknown. */
  readonly isWrite: boolean;
}

/** @returns the call, or `ELocal:Invalid input` naming the first field that does not fit the contract. */
export function composeCall<Id extends EndpointId>(id: Id, input: CallInput = {}): Result<Call<Answer<Id>>> {
  const endpoint: Endpoint = ENDPOINTS[id];
  const given = Object.entries(input.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const query = Object.fromEntries(given);
  const misfit =
    misfitOf(endpoint.params, input.params ?? {}) ??
    misfitOf(endpoint.query, query) ??
    misfitOf(endpoint.body, input.body ?? {});
  if (misfit !== undefined) return failed(misfit);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ""));
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ok({
    endpoint: id,
    method: endpoint.method,
    path: search === "" ? path : `${path}?${search}`,
    weight: endpoint.weight,
    isPrivate: endpoint.auth !== "none",
    response: endpoint.response as z.ZodType<Answer<Id>>,
    isWrite: endpoint.auth === "trade",
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  });
}

function misfitOf(schema: z.ZodType | undefined, value: object) {
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
