/** The options of a client, their defaults, and how its parts are put together. */
import { SANDBOX_HEADER } from "../../contract/index.ts";
import {
  BaseUrl,
  type ClientListener,
  type Lane,
  LaneEntrance,
  LocalLane,
  type Redact,
  RequestSender,
  type RequestSenderParts,
  type SteadyClock,
  systemClock,
  type Transport,
  UndiciTransport,
} from "../../transport/index.ts";
import { type CredentialOptions, Credentials } from "./request/credentials.ts";

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
export function requestSenderFor(options: ClientOptions, clockCall: RequestSenderParts["clockCall"]): RequestSender {
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
