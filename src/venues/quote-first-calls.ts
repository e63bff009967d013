/**
 * Calls of the exchanges that write the quote first: parameters in a query, or in a body of JSON, and over them the token that the key signs.
 */
import type { z } from "zod";
import type { Fault } from "../contract/index.ts";
import type { RequestParts, Signer, VenueCall, WireOutcome } from "../transport/index.ts";
import { answerTo, type Refusals } from "./call-answer.ts";
import type { Parameters } from "./token.ts";

export interface QuoteFirstCall<T, IsWrite extends boolean = boolean> {
  /** For logs and figures. */
  readonly endpoint: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly parameters: Parameters;
  /** In which it counts. */
  readonly group: string;
  readonly isPrivate: boolean;
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
  /** Whether the answer belongs to the call: on a connection out of step it may be another's. */
  readonly matches?: (answer: T) => boolean;
}

export type Fields = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** In the order in which they stand; what is undefined is left out. */
function parametersOf(fields: Fields): Parameters {
  return Object.entries(fields).flatMap(([name, value]): Parameters => {
    if (value === undefined) return [];
    return typeof value === "object" ? value.map((each) => [`${name}[]`, each] as const) : [[name, String(value)]];
  });
}

/** @param isPrivate whether it is signed */
export function looking<T>(
  call: Pick<QuoteFirstCall<T>, "path" | "group" | "isPrivate" | "response">,
  fields: Fields,
): QuoteFirstCall<T, false> {
  const parameters = parametersOf(fields);
  return { ...call, endpoint: call.path.slice(1), method: "GET", parameters, isWrite: false };
}

export function writing<T>(
  call: Pick<QuoteFirstCall<T>, "endpoint" | "method" | "path" | "group" | "response">,
  fields: Fields,
): QuoteFirstCall<T, true> {
  return { ...call, parameters: parametersOf(fields), isPrivate: true, isWrite: true };
}

interface Dialect extends Pick<Refusals, "isRefusal"> {
  /** Before every path. */
  readonly base?: string;
  /** The headers that sign it. */
  readonly token: (signed: Signed) => object;
  readonly faultIn: (
    answer: Extract<WireOutcome, { readonly kind: "answer" }>,
    json: unknown,
    asked: { readonly isWrite: boolean; readonly isPrivate: boolean; readonly places: boolean },
  ) => Fault;
}

interface Signed {
  readonly nonce: string;
  readonly signer: Signer;
}

export function wireCall<T, IsWrite extends boolean>(
  call: QuoteFirstCall<T, IsWrite>,
  { base = "", token, faultIn, ...reading }: Dialect,
): VenueCall<T, IsWrite> {
  const { endpoint, method, isPrivate, isWrite, group, response } = call;
  const asked = { isWrite, isPrivate, places: endpoint === "place" };
  return {
    ...{ endpoint, method, isPrivate, isWrite, response, weight: 1, charges: [{ group, weight: 1 }] },
    request: ({ prefix }, signed) => requestParts(call, prefix + base, signed === undefined ? {} : token(signed)),
    answer: (outcome) =>
      answerTo(outcome, call, { ...reading, refusal: (answer, json) => faultIn(answer, json, asked) }),
  };
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function requestParts(
  { method, path, parameters }: Pick<QuoteFirstCall<never>, "method" | "path" | "parameters">,
  prefix: string,
  token: object,
): RequestParts {
  const headers = { accept: "application/json", ...token };
  if (method === "POST") {
    const body = JSON.stringify(Object.fromEntries(parameters));
    return { path: prefix + path, headers: { ...headers, ...JSON_TYPE }, body };
  }
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return { path: `${prefix}${path}${query === "" ? "" : `?${query}`}`, headers };
}
