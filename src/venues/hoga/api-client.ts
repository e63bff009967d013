/**
 * Holds what the clients of all APIs have in common: their identity, their two ways to send a call, and how they are closed and shown.
 *
 * Their options with the defaults, how a client's parts are put together, and how a call is written to the wire: path, headers and body. A
 * private call also has the nonce in its place and the signature over all of it.
 *
 * Source: service.md#private-headers, service.md#signature, service.md#version-header.
 */
import { inspect } from "node:util";
import {
  AUTH_HEADERS,
  type CreateOrderBody,
  defined,
  type Fault,
  IDEMPOTENCY_HEADER,
  type LookupState,
  localFault,
  OPEN_API_VERSION,
  type Order,
  type OrderPage,
  ok,
  type Result,
  SANDBOX_HEADER,
  VERSION_HEADER,
  type VenueCard,
} from "../../contract/index.ts";
import {
  type Address,
  BaseUrl,
  type ClientListener,
  type Lane,
  LaneEntrance,
  LocalLane,
  type QueryOptions,
  type Redact,
  type RequestParts,
  RequestSender,
  type RequestSenderParts,
  type Signer,
  type SteadyClock,
  systemClock,
  type Transport,
  UndiciTransport,
  type VenueCall,
  type WriteOptions,
} from "../../transport/index.ts";
import { CARD } from "./card.ts";
import { type Call, interpret, type MatchedCall, type OutgoingCall } from "./request/call.ts";
import { type CredentialOptions, Credentials } from "./request/credentials.ts";

export abstract class ApiClient {
  readonly environment: "sandbox" | "live";
  /** Name of the key that signs, and of its lane; never the key itself. Undefined for public data only. */
  readonly keyId: string | undefined;
  readonly card: VenueCard;
  /** Whole time a write may take, connect to last byte, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly #sender: RequestSender;
  readonly #clock: SteadyClock;

  /**
   * @param clockCall reads the venue's clock
   * @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them
   */
  protected constructor(
    options: ClientOptions,
    clockCall: Call<{ readonly unix_ms: number }>,
    has: Partial<VenueCard> = {},
  ) {
    this.environment = options.environment;
    this.card = cardOf(options.absence, has);
    this.#clock = options.clock ?? systemClock;
    this.writeTimeoutMs = options.timeouts?.totalMs ?? TIMEOUTS.totalMs;
    this.#sender = requestSenderFor(options, venueCall(clockCall));
    this.keyId = this.#sender.keyId;
  }

  /** Retries until it succeeds or a fault is final. @param matches as in `MatchedCall` */
  protected async read<T>(
    call: Result<Call<T, false>>,
    options?: QueryOptions,
    matches?: (answer: T) => boolean,
  ): Promise<Result<T>> {
    return call.ok ? this.#sender.read(venueCall({ matches, ...call.value }), options) : call;
  }

  /** Sends the call once, or not at all. @param matches as in `MatchedCall` */
  protected async write<T>(
    call: Result<Call<T, true>>,
    options?: WriteOptions,
    matches?: (answer: T) => boolean,
  ): Promise<Result<T>> {
    return call.ok ? this.#sender.write(venueCall({ matches, ...call.value }), options) : call;
  }

  /** What a list by one name says of that name: it covers every state. */
  protected foundIn(page: Result<OrderPage>): Result<Found> {
    if (!page.ok) return page;
    const { orders } = page.value;
    if (orders.length > 0) return ok({ kind: "found", item: orders });
    return ok({ kind: "none", covers: EVERY_STATE, atMs: this.#clock.now() + (this.clockOffsetMs() ?? 0) });
  }

  /** Server clock minus ours in milliseconds, as last measured; undefined before the first answer. */
  clockOffsetMs(): number | undefined {
    return this.#sender.offset.currentMs;
  }

  /** Names an exchange that says on its answers that it is a sandbox. Source: service.md#sandbox-header. */
  get sandboxId(): string | undefined {
    return this.#sender.sandboxId;
  }

  /** Ends every wait. Requests in flight are still answered. */
  async close(): Promise<void> {
    await this.#sender.close();
  }

  toJSON(): object {
    return { environment: this.environment, absence: this.card.absence, writeTimeoutMs: this.writeTimeoutMs };
  }

  [inspect.custom](): string {
    return `${this.constructor.name} ${inspect(this.toJSON())}`;
  }
}

/** An order as it is looked up. */
export interface NamedOrder {
  readonly userref: string;
  readonly symbol?: string;
  readonly limit?: number;
}

type Found =
  | { readonly kind: "found"; readonly item: readonly Order[] }
  | { readonly kind: "none"; readonly covers: ReadonlySet<LookupState>; readonly atMs: number };

/** @param has what one of its APIs has besides */
export function cardOf(absence: ServiceAbsence | undefined, has: Partial<VenueCard> = {}): VenueCard {
  return { ...CARD, ...has, ...defined({ absence }) };
}

const EVERY_STATE: ReadonlySet<LookupState> = new Set(["open", "closed", "canceled"]);

/** @returns a fault when an order that is to be placed says that it is only to be checked. */
export function validateOnlyFault({ validate_only: isCheck }: CreateOrderBody): Fault | undefined {
  if (isCheck !== true) return undefined;
  const message = "validate_only: this would place nothing; use validateOrder. Nothing was sent.";
  return localFault("ELocal:Invalid input", { message, field: "validate_only" });
}

/** Tells whether the answer to a check shows no id. An answer with an id is an order that was placed nevertheless. */
export function placedNothing(answer: object): boolean {
  return !("uuid" in answer || "orderId" in answer || "txid" in answer);
}

/** All in milliseconds. */
export interface ClientTimeouts {
  readonly connectMs: number;
  /** From the request to the headers of the answer. */
  readonly headersMs: number;
  /** Longest silence inside an answer's body. */
  readonly bodyMs: number;
  /** Bounds one request, connect to last byte. */
  readonly totalMs: number;
  /** A read over all its attempts; also how long a write waits for its turn before it is given up unsent. */
  readonly deadlineMs: number;
}

export const TIMEOUTS: ClientTimeouts = {
  connectMs: 3_000,
  headersMs: 10_000,
  bodyMs: 5_000,
  totalMs: 15_000,
  deadlineMs: 30_000,
};

const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** `nonce`: behind the nonce fence "not found" is final. `none`: it never is. */
export interface ServiceAbsence {
  readonly by: "nonce" | "none";
}

export interface ClientOptions {
  readonly environment: "sandbox" | "live";
  /** A function is called before every request, because the embedded exchange may move; it should be fast. */
  readonly baseUrl: string | (() => Promise<string>);
  /** Opens more than public market data. */
  readonly credentials?: CredentialOptions;
  /** Default: a lane of this process. Share one (the store's) wherever several processes use a key. */
  readonly lane?: Lane;
  readonly clock?: SteadyClock;
  readonly timeouts?: Partial<ClientTimeouts>;
  /** Says whether "not found" is final there, and by what. Default: by the nonce. Source: service.md#nonce-fence. */
  readonly absence?: ServiceAbsence;
  /** 0 ≤ random < 1, for jitter. */
  readonly random?: () => number;
  readonly onEvent?: ClientListener;
  /** Hides secrets in every answer and fault of the venue. Default: nothing is hidden. */
  readonly redact?: Redact;
  /** Default: undici over real sockets. */
  readonly transport?: Transport;
}

/** @param clockCall reads the venue's clock */
export function requestSenderFor(
  options: ClientOptions,
  clockCall: NonNullable<RequestSenderParts["clockCall"]>,
): RequestSender {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const clock = options.clock ?? systemClock;
  const emit = guarded(options.onEvent);
  return new RequestSender({
    baseUrl: new BaseUrl(options.baseUrl),
    credentials: options.credentials === undefined ? undefined : new Credentials(options.credentials),
    lane: new LaneEntrance(options.lane ?? new LocalLane(clock), emit),
    clock,
    transport: options.transport ?? new UndiciTransport({ ...timeouts, bodyBytesMax: BODY_BYTES_MAX }),
    random: options.random ?? Math.random,
    emit,
    redact: options.redact ?? ((value) => value),
    clockCall,
    sandboxIdIn,
    requestMs: timeouts.totalMs,
    deadlineMs: timeouts.deadlineMs,
  });
}

/** A listener that throws must not hide what became of an order. */
function guarded(listener: ClientListener | undefined): ClientListener {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // Only the listener is affected.
    }
  };
}

const SANDBOX_ID = /^[\w-]{1,64}$/;

function sandboxIdIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const said = headers[SANDBOX_HEADER.toLowerCase()];
  return typeof said === "string" && SANDBOX_ID.test(said) ? said : undefined;
}

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
const BODY_TYPE = { open: JSON_TYPE, draft: JSON_TYPE, trading: "application/x-www-form-urlencoded" } as const;

function publicRequest(call: OutgoingCall, address: Address): RequestParts {
  return parts(call, `${address.prefix}${call.path}`, call.body, {});
}

function signedRequest(call: OutgoingCall, address: Address, nonce: string, signer: Signer): RequestParts {
  const path = `${address.prefix}${call.path}`;
  switch (call.family) {
    case "open":
    case "draft": {
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
