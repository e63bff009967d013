/**
 * The APIs the same schedule runs over: the two of the specified exchange, and those of others. Everything in the simulation that is about
 * what goes over the wire asks here, and is answered in the words of the Open API, so that plans, faults and invariants are the same for all.
 */

import {
  type Compliance,
  type CreateOrderBody,
  ENDPOINTS,
  type EndpointId,
  IDEMPOTENCY_HEADER,
  type OrderState,
  TRADING_OPERATIONS,
  TRANSFER_ENDPOINTS,
  TRANSFER_PREFIX,
  type TradingOperationId,
  type TransferEndpointId,
} from "../../src/contract/index.ts";
import type { Venue } from "../../src/desk/index.ts";
import { KRW_MARKETS } from "../../src/sandbox/engine/index.ts";
import { findRoute, openFamily } from "../../src/sandbox/families/open/open-family.ts";
import { tradingFamily } from "../../src/sandbox/families/trading/trading-family.ts";
import type { Family } from "../../src/sandbox/http/family.ts";
import { router } from "../../src/sandbox/http/route.ts";
import type { MarketRule, OrderRecord } from "../../src/sandbox/model/index.ts";
import type { Service } from "../../src/sandbox/service/service.ts";
import type { Transport } from "../../src/transport/request/ports.ts";
import { OpenApiClient, TradingApiClient } from "../../src/venues/index.ts";
import { envelopeOf, openLine } from "../fixture/trading-words.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { BITHUMB_WIRE } from "./wires/bithumb.ts";
import { COINONE_WIRE } from "./wires/coinone.ts";
import { KORBIT_WIRE } from "./wires/korbit.ts";
import { UPBIT_WIRE } from "./wires/upbit.ts";

/** Exchanges other than the specified one: they prove no absence, count calls their own way, and know orders by ids of hoga's. */
export const FOREIGN_NAMES = ["upbit", "bithumb", "korbit", "coinone"] as const;
export const VENUE_NAMES = ["open", "trading", ...FOREIGN_NAMES] as const;
export type VenueName = (typeof VENUE_NAMES)[number];

/** What a request is for. The exchange's own timer is the Trading API's alone. */
export type RequestKind = EndpointId | TransferEndpointId | "cancelTimer";

export interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a request says, whichever API it is for. */
export interface Reading {
  readonly kind: RequestKind;
  readonly weight: number;
  /** Empty for a public call. */
  readonly nonce: string;
  /** The order that is asked for, where it asks for one. */
  readonly order: CreateOrderBody | undefined;
  /** The name under which it moves money, where it does. */
  readonly movement?: string | undefined;
}

export type ClientOptions = Omit<ConstructorParameters<typeof OpenApiClient>[0], "credentials"> & {
  readonly credentials: { readonly apiKey: string; readonly apiSecret: string };
  readonly transport: Transport;
  readonly randomBytes: (count: number) => Uint8Array;
};

export interface Wire {
  readonly open: (options: ClientOptions) => Venue;
  readonly markets: readonly MarketRule[];
  readonly family: (service: Service, time: VirtualTime) => Family;
  /** The name of an order that the exchange knows by this id. */
  readonly nameOf?: (clientId: string) => string;
  /** Where the exchange tells less of an end than the engine knows. */
  readonly stateOf?: (order: OrderRecord) => OrderState;
  /** Where not every order is in a list of all. */
  readonly isListed?: (order: OrderRecord, nowMs: number) => boolean;
  readonly read: (call: WireCall) => Reading;
  /** Whether an answer to an order says that it was taken. */
  readonly isTaken: (status: number, text: string) => boolean;
  /** What the desk sends with every order. */
  readonly compliance: Compliance | undefined;
  /** The service is busy, and the limit is reached, as this API says it. */
  readonly busy: WireAnswer;
  readonly limited: WireAnswer;
  /** An answer that also says that the service failed: both cannot be true. */
  readonly contradicted: (answer: WireAnswer) => WireAnswer;
}

const JSON_TYPE = { "content-type": "application/json" };
const RETRY_AFTER = { ...JSON_TYPE, "retry-after": "1" };
const FAILURE = "EService:Busy";
const LIMIT = "EAPI:Rate limit exceeded";

const OPEN: Wire = {
  open: (options) => new OpenApiClient(options),
  markets: KRW_MARKETS,
  family: openFamily,
  read: ({ method, path, headers, body }) => {
    const kind = endpointOf(method, path);
    return {
      kind,
      weight: ENDPOINTS[kind].weight,
      nonce: headers["api-nonce"] ?? "",
      order: kind === "createOrder" ? (JSON.parse(body) as CreateOrderBody) : undefined,
    };
  },
  isTaken: (status) => status === 201,
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: errorBody(FAILURE) },
  limited: { status: 429, headers: RETRY_AFTER, body: errorBody(LIMIT) },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};

const TRADING: Wire = {
  open: (options) => new TradingApiClient(options),
  markets: KRW_MARKETS,
  family: tradingFamily,
  read: ({ method, path, body }) => {
    const operation = path.replace(/\?.*/, "").split("/").at(-1) as TradingOperationId;
    const fields = new URLSearchParams(body);
    const line = openLine(method, path, body);
    if (line === undefined) throw new Error(`no operation for ${method} ${path}`);
    return {
      kind: operation === "CancelAllOrdersAfter" ? "cancelTimer" : endpointOf(line.method, line.path),
      weight: TRADING_OPERATIONS[operation].weight,
      nonce: fields.get("nonce") ?? "",
      order: operation === "AddOrder" ? orderIn(fields) : undefined,
    };
  },
  isTaken: (_status, text) => (JSON.parse(text) as { error: readonly string[] }).error.length === 0,
  compliance: {
    vasp_purpose_code: "P2B_TRADE",
    originator_vasp_id: "VASP-KR-0001",
    kyc_level: "TIER2",
    settlement_mode: "INSTANT_KRW",
  },
  // Its answers are HTTP 200, whatever they say.
  busy: { status: 200, headers: JSON_TYPE, body: Buffer.from(envelopeOf(FAILURE)) },
  limited: { status: 200, headers: RETRY_AFTER, body: Buffer.from(envelopeOf(LIMIT)) },
  contradicted: (answer) => {
    const { result } = JSON.parse(answer.body.toString()) as { result: object };
    return { ...answer, body: Buffer.from(JSON.stringify({ error: [FAILURE], result })) };
  },
};

export const WIRES: Readonly<Record<VenueName, Wire>> = {
  ...{ open: OPEN, trading: TRADING },
  ...{ upbit: UPBIT_WIRE, bithumb: BITHUMB_WIRE, korbit: KORBIT_WIRE, coinone: COINONE_WIRE },
};

export function isForeign(venue: VenueName): boolean {
  return FOREIGN_NAMES.some((name) => name === venue);
}

/** What a request says: of either API, or of the one that both have for transfers. */
export function readingOf(wire: Wire, call: WireCall): Reading {
  return call.path.startsWith(TRANSFER_PREFIX) ? transferReading(call) : wire.read(call);
}

const findTransferRoute = router<TransferEndpointId, (typeof TRANSFER_ENDPOINTS)[TransferEndpointId]>(
  TRANSFER_ENDPOINTS,
);
const MOVEMENTS: readonly string[] = ["confirmPayment", "refundPayment", "createRemittance", "cancelRemittance"];

function transferReading({ method, path, headers }: WireCall): Reading {
  const found = findTransferRoute(method, path.split("?", 1)[0] ?? "");
  if (found === undefined) throw new Error(`no endpoint for ${method} ${path}`);
  return {
    kind: found.id,
    weight: TRANSFER_ENDPOINTS[found.id].weight,
    nonce: headers["api-nonce"] ?? "",
    order: undefined,
    movement: MOVEMENTS.includes(found.id) ? headers[IDEMPOTENCY_HEADER.toLowerCase()] : undefined,
  };
}

function endpointOf(method: string, path: string): EndpointId {
  const found = findRoute(method, path.split("?", 1)[0] ?? "");
  if (found === undefined) throw new Error(`no endpoint for ${method} ${path}`);
  return found.id;
}

/** An order as its form says it, in the words of the Open API. */
function orderIn(form: URLSearchParams): CreateOrderBody {
  const given = Object.fromEntries(form);
  const flags = (given["oflags"] ?? "").split(",");
  const { nonce: _nonce, oflags: _oflags, pair, type, ordertype, volume, timeinforce, ...rest } = given;
  const { vasp_purpose_code, originator_vasp_id, kyc_level, settlement_mode, ...fields } = rest;
  return {
    ...fields,
    symbol: pair,
    side: type,
    type: ordertype,
    [flags.includes("viqc") ? "amount" : "volume"]: volume,
    ...(timeinforce === undefined ? {} : { time_in_force: timeinforce }),
    ...(flags.includes("post") ? { post_only: true } : {}),
    compliance: { vasp_purpose_code, originator_vasp_id, kyc_level, settlement_mode },
  } as CreateOrderBody;
}

function errorBody(code: string): Buffer {
  return Buffer.from(
    JSON.stringify({ error: { code, message: "somebody in between says so", request_id: "between" } }),
  );
}
