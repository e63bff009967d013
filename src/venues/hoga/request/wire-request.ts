/**
 * A call as it is written to the wire: path, headers and body. A private call also has the nonce in its place and the signature
 * over all of it.
 *
 * Source: service.md#private-headers, service.md#signature, service.md#version-header.
 */
import {
  AUTH_HEADERS,
  defined,
  IDEMPOTENCY_HEADER,
  OPEN_API_VERSION,
  VERSION_HEADER,
} from "../../../contract/index.ts";
import type { Address, RequestParts, Signer, VenueCall } from "../../../transport/index.ts";
import { interpret } from "./answer.ts";
import type { MatchedCall, OutgoingCall } from "./call.ts";

/** A call of the service as the sender takes it. */
export function venueCall<T, IsWrite extends boolean>(call: MatchedCall<T, IsWrite>): VenueCall<T, IsWrite> {
  const { endpoint, method, weight, isPrivate, isWrite } = call;
  return {
    ...{ endpoint, method, weight, isPrivate, isWrite },
    request: (address, signed) =>
      signed === undefined ? publicRequest(call, address) : signedRequest(call, address, signed.nonce, signed.signer),
    answer: (outcome, nowMs) => interpret(outcome, call, nowMs),
  };
}

const JSON_TYPE = "application/json";
const BODY_TYPE = { open: JSON_TYPE, transfer: JSON_TYPE, trading: "application/x-www-form-urlencoded" } as const;

function publicRequest(call: OutgoingCall, address: Address): RequestParts {
  return parts(call, `${address.prefix}${call.path}`, call.body, {});
}

function signedRequest(call: OutgoingCall, address: Address, nonce: string, signer: Signer): RequestParts {
  const path = `${address.prefix}${call.path}`;
  switch (call.family) {
    case "open":
    case "transfer": {
      const signed = signer(`${call.method} ${path}`, nonce, call.body ?? "");
      return parts(call, path, call.body, { ...signed, [AUTH_HEADERS.nonce]: nonce });
    }
    case "trading": {
      const form = [`nonce=${nonce}`, ...(call.body === undefined ? [] : [call.body])].join("&");
      return parts(call, path, form, signer(path, nonce, form));
    }
    default:
      return call.family satisfies never;
  }
}

function parts(
  { family, idempotencyKey }: OutgoingCall,
  path: string,
  body: string | undefined,
  signed: Readonly<Record<string, string>>,
): RequestParts {
  const headers = {
    accept: "application/json",
    ...(family === "open" ? { [VERSION_HEADER]: OPEN_API_VERSION } : {}),
    ...defined({
      "content-type": body === undefined ? undefined : BODY_TYPE[family],
      [IDEMPOTENCY_HEADER]: idempotencyKey,
    }),
    ...signed,
  };
  return defined({ path, headers, body });
}
