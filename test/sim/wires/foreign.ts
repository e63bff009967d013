/**
 * What the wires of exchanges other than the specified one have in common. The stamp of an order, which the journal keeps, does not travel there,
 * so that it is written beside the request on its way, in headers that no exchange reads.
 */
import type { CreateOrderBody, OrderState } from "../../../src/contract/index.ts";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import type { Venue } from "../../../src/desk/index.ts";
import type { Transport } from "../../../src/transport/request/ports.ts";
import { replaced } from "../policy.ts";
import type { ClientOptions, RequestKind, WireCall } from "../wire.ts";

export const JSON_TYPE = { "content-type": "application/json" };

/** By method and path; a look-up by an id of ours does what a list by names does at the specified exchange. */
export type Kinds = readonly (readonly [RegExp, RequestKind])[];

export function kindIn(kinds: Kinds, { method, path }: Pick<WireCall, "method" | "path">): RequestKind {
  const line = `${method} ${path}`;
  const kind = kinds.find(([pattern]) => pattern.test(line))?.[1];
  if (kind === undefined) throw new Error(`no call for ${line}`);
  return kind;
}

/** Names that are no ids of hoga's: those of wishes, and of a desk that asks again. */
const CHOSEN = new Map(
  Array.from({ length: 100 }, (_, index) => [`wish-${index}`, `again-${index}`])
    .flat()
    .map((name) => [clientIdOf(name), name] as const),
);

/** The order of a plan's step has a name that follows from the plan. */
export function noteName(name: string): void {
  CHOSEN.set(clientIdOf(name), name);
}

export function nameOf(clientId: string): string {
  return CHOSEN.get(clientId) ?? clientId;
}

type ParentOptions = Pick<ClientOptions, "environment" | "baseUrl" | "credentials"> & {
  readonly clock: NonNullable<ClientOptions["clock"]>;
  readonly transport: Transport;
  readonly account: string;
  readonly uuid: () => string;
};

/** Opens the exchange's client over a network on which requests bear their stamps. @param idIn the id of ours in a request that places an order */
export function stamped(
  options: ClientOptions,
  open: (parts: ParentOptions) => Venue,
  idIn: (call: { readonly method: string; readonly path: string; readonly body: string }) => string | undefined,
): Venue {
  const { environment, baseUrl, credentials, clock, timeouts, random } = options;
  const uuid = () => uuidOf(options.randomBytes(16));
  const stamps = new Map<string, string>();
  const transport: Transport = {
    close: () => options.transport.close(),
    send: (request) => {
      const { method, path, body = "", headers } = request;
      const id = idIn({ method, path, body });
      const stamp = id === undefined ? {} : { "api-nonce": stamps.get(id) ?? "" };
      return options.transport.send({ ...request, headers: { ...headers, "api-key": credentials.apiKey, ...stamp } });
    },
  };
  const parts = { environment, baseUrl, credentials, clock, timeouts, random, transport, uuid, account: "paper" };
  const venue = open(parts as ParentOptions);
  return replaced(venue, {
    submit: (order, beforeSend) =>
      venue.submit(order, async (stamp) => {
        stamps.set(order.userref ?? "", stamp);
        return beforeSend(stamp);
      }),
  });
}

/** Exchanges that call every end but a whole one a cancel. */
export function wholeOrCanceled({ state }: { readonly state: OrderState }): OrderState {
  return state === "expired" ? "canceled" : state;
}

/** A random UUID of version 4. */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An order of the wire in the words of the Open API. */
export function bodyOf(fields: Record<string, unknown>): CreateOrderBody {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as CreateOrderBody;
}
