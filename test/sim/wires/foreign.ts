/**
 * What the wires of exchanges other than the specified one have in common. The stamp of an order, which the journal keeps, does not travel there,
 * so that it is written beside the request on its way, in headers that no exchange reads.
 */
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import type { Venue } from "../../../src/desk/index.ts";
import type { Transport } from "../../../src/transport/request/ports.ts";
import { replaced } from "../policy.ts";
import type { ClientOptions } from "../wire.ts";

/** Names that are no ids of hoga's: those of wishes, and of a desk that asks again. */
const CHOSEN = new Map(
  Array.from({ length: 100 }, (_, index) => [`wish-${index}`, `again-${index}`])
    .flat()
    .map((name) => [clientIdOf(name), name] as const),
);

export function nameOf(clientId: string): string {
  return CHOSEN.get(clientId) ?? clientId;
}

/** Opens the exchange's client over a network on which requests bear their stamps. @param idIn the id of ours in a request that places an order */
export function stamped(
  options: ClientOptions,
  open: (transport: Transport) => Venue,
  idIn: (method: string, path: string, body: string) => string | undefined,
): Venue {
  const stamps = new Map<string, string>();
  const venue = open({
    close: () => options.transport.close(),
    send: (request) => {
      const { method, path, body = "", headers } = request;
      const id = idIn(method, path, body);
      const stamp = id === undefined ? {} : { "api-nonce": stamps.get(id) ?? "" };
      return options.transport.send({
        ...request,
        headers: { ...headers, "api-key": options.credentials.apiKey, ...stamp },
      });
    },
  });
  return replaced(venue, {
    submit: (order, beforeSend) =>
      venue.submit(order, async (stamp) => {
        stamps.set(order.userref ?? "", stamp);
        return beforeSend(stamp);
      }),
  });
}

/** A random UUID of version 4. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An order of the wire in the words of the Open API. */
export function bodyOf(fields: Record<string, unknown>): CreateOrderBody {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as CreateOrderBody;
}
