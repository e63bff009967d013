/**
 * Calls of an exchange that counts them in groups: what each carries, where it travels and what signs it; and how its answer is read, by the call's
 * own schema and only where it belongs to the call.
 */
import type { z } from "zod";
import type { Fault, Result } from "../contract/index.ts";
import { readJsonAnswer, type Signer, type VenueCall, type WireOutcome } from "../transport/index.ts";
import type { Parameters } from "./token.ts";

type Answer = Extract<WireOutcome, { readonly kind: "answer" }>;

export type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface GroupCall<T, IsWrite extends boolean = boolean> {
  /** For logs and figures. */
  readonly endpoint: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** In the order in which they stand; what is undefined is left out. */
  readonly fields: Fields;
  /** In which it counts. */
  readonly group: string;
  readonly isPrivate: boolean;
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
  /** Whether the answer belongs to the call: on a connection out of step it may be another's. */
  readonly matches?: ((answer: T) => boolean) | undefined;
}

/** As text, each of an array by itself. */
export function parametersOf(fields: Fields): Parameters {
  return Object.entries(fields).flatMap(([name, value]): Parameters => {
    if (value === undefined) return [];
    return typeof value === "object" ? value.map((each) => [`${name}[]`, each] as const) : [[name, String(value)]];
  });
}

export function queryOf(fields: Fields): string {
  const parameters = parametersOf(fields);
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** @param call `isPrivate`: whether it is signed */
export function looking<T>(
  call: Pick<GroupCall<T>, "path" | "group" | "isPrivate" | "response"> & Partial<Pick<GroupCall<T>, "endpoint">>,
  fields: Fields,
): GroupCall<T, false> {
  return { endpoint: call.path.slice(1), ...call, method: "GET", fields, isWrite: false };
}

export function writing<T>(
  call: Pick<GroupCall<T>, "endpoint" | "method" | "path" | "group" | "response">,
  fields: Fields,
): GroupCall<T, true> {
  return { ...call, fields, isPrivate: true, isWrite: true };
}

/** What is sent of a call: `text` is the query, of a `POST` the body. */
interface Sent {
  readonly text: string;
  readonly headers?: object | undefined;
}

interface Signed {
  readonly nonce: string;
  readonly signer: Signer;
}

interface Dialect {
  /** Before every path. */
  readonly base?: string;
  readonly bodyType: string;
  /** @param signed what signs it; undefined where it is public */
  readonly sent: (call: Pick<GroupCall<never>, "method" | "fields">, signed: Signed | undefined) => Sent;
  /** Of an exchange that refuses with a status of success. */
  readonly isRefusal?: (json: unknown) => boolean;
  /** @param asked `places`: it places an order, of which no answer can say that it is not there */
  readonly faultIn: (
    answer: Answer,
    json: unknown,
    asked: { readonly isWrite: boolean; readonly isPrivate: boolean; readonly places: boolean },
  ) => Fault;
}

export function wireCall<T, IsWrite extends boolean>(
  call: GroupCall<T, IsWrite>,
  { base = "", bodyType, sent, faultIn, ...reading }: Dialect,
): VenueCall<T, IsWrite> {
  const { endpoint, method, path, isPrivate, isWrite, group, response, matches = () => true } = call;
  const asked = { isWrite, isPrivate, places: endpoint === "place" };
  return {
    ...{ endpoint, method, isPrivate, isWrite, response, weight: 1, charges: [{ group, weight: 1 }] },
    request: ({ prefix }, signed) => {
      const { text, headers: own } = sent(call, signed);
      const headers = { accept: "application/json", ...own };
      const at = prefix + base + path;
      if (method === "POST") return { path: at, headers: { ...headers, "content-type": bodyType }, body: text };
      return { path: text === "" ? at : `${at}?${text}`, headers };
    },
    answer: (outcome): Result<T> =>
      readJsonAnswer(outcome, {
        ...{ isWrite, ...reading, refusal: (answer, json) => faultIn(answer, json, asked) },
        value: (json) => {
          const parsed = response.safeParse(json);
          return parsed.success && matches(parsed.data) ? parsed.data : undefined;
        },
      }),
  };
}

/** The same of an exchange where a token signs, with a body of JSON in which all is text. */
export function tokenCall<T, IsWrite extends boolean>(
  call: GroupCall<T, IsWrite>,
  { token, ...dialect }: Omit<Dialect, "sent" | "bodyType"> & { readonly token: (signed: Signed) => object },
): VenueCall<T, IsWrite> {
  return wireCall(call, {
    ...{ ...dialect, bodyType: "application/json; charset=utf-8" },
    sent: ({ method, fields }, signed) => ({
      text: method === "POST" ? JSON.stringify(Object.fromEntries(parametersOf(fields))) : queryOf(fields),
      headers: signed && token(signed),
    }),
  });
}
