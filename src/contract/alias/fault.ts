/**
 * Owns the errors of the alias endpoints, in the numbers of their dialect: one table for the fault catalogue, one for what the
 * dialect tells apart where the catalogue has a single code for a malformed request.
 *
 * Entry points: `ALIAS_FAULTS`, `ALIAS_PROBLEMS`. A `%s` in a text is filled in.
 *
 * Source: service.md#alias-errors; the dialect's published list of error codes.
 */
import type { FaultCode } from "../fault.ts";

export interface AliasFaultEntry {
  readonly status: number;
  readonly number: number;
  readonly msg: string;
}

/** The dialect has one text for everything that is wrong with a key, so that nobody learns from it by trying keys. */
const key = { status: 401, number: -2015, msg: "Invalid API-key, IP, or permissions for action." } as const;
const rejected = { status: 400, number: -2010 } as const;
const filtered = { status: 400, number: -1013 } as const;

/** The dialect's number, text and HTTP status of every code of the catalogue. */
export const ALIAS_FAULTS = {
  "EAPI:Invalid key": key,
  "EAPI:Invalid signature": { status: 400, number: -1022, msg: "Signature for this request is not valid." },
  "EAPI:Invalid nonce": {
    status: 400,
    number: -1021,
    msg: "Timestamp for this request is outside of the recvWindow.",
  },
  "EAPI:IP not allowed": key,
  "EGeneral:Permission denied": key,
  "EAPI:Rate limit exceeded": { status: 429, number: -1003, msg: "Too many requests; wait %s ms." },
  "EGeneral:Invalid arguments": { status: 400, number: -1130, msg: "Data sent for parameter '%s' is not valid." },
  "EGeneral:Unknown method": { status: 404, number: -1020, msg: "This operation is not supported." },
  "EQuery:Unknown asset pair": { status: 400, number: -1121, msg: "Invalid symbol." },
  "EOrder:Unknown order": { status: 400, number: -2013, msg: "Order does not exist." },
  "EOrder:Insufficient funds": { ...rejected, msg: "Account has insufficient balance for requested action." },
  "EOrder:Order minimum not met": { ...filtered, msg: "Filter failure: NOTIONAL" },
  "EOrder:Tick size check failed": { ...filtered, msg: "Filter failure: PRICE_FILTER" },
  "EOrder:Invalid price": { ...filtered, msg: "Filter failure: PRICE_FILTER" },
  "EOrder:Post only order": { ...rejected, msg: "Order would immediately match and take." },
  "EOrder:Order already closed": { status: 400, number: -2011, msg: "Unknown order sent." },
  "EOrder:Market halted": { ...filtered, msg: "Market is closed." },
  "EOrder:Orders limit exceeded": { ...filtered, msg: "Filter failure: EXCHANGE_MAX_NUM_ORDERS" },
  "EOrder:Duplicate userref": { ...rejected, msg: "Duplicate order sent." },
  "ECompliance:Missing travel-rule metadata": { ...rejected, msg: "This action is disabled on this account." },
  "ECompliance:KYC level too low": { ...rejected, msg: "This action is disabled on this account." },
  "ECompliance:KRW account not linked": { ...rejected, msg: "This account may not place or cancel orders." },
  "ETransfer:Unknown transfer": { ...rejected, msg: "This operation is not supported." },
  "ETransfer:Wrong state": { ...rejected, msg: "This operation is not supported." },
  "ETransfer:Quote not usable": { ...rejected, msg: "This operation is not supported." },
  "ETransfer:Idempotency key reused": { ...rejected, msg: "This operation is not supported." },
  "EService:Unavailable": {
    status: 503,
    number: -1006,
    msg: "The service cannot answer now. Execution status unknown.",
  },
  "EService:Timeout": {
    status: 504,
    number: -1007,
    msg: "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
  },
} as const satisfies Record<FaultCode, AliasFaultEntry>;

/** Lists what the dialect tells apart beyond the catalogue. All have HTTP status 400. */
export const ALIAS_PROBLEMS = {
  timestampAhead: { number: -1021, msg: "Timestamp for this request was 1000ms ahead of the server's time." },
  illegalCharacters: {
    number: -1100,
    msg: "Illegal characters found in parameter '%s'; legal range is '%s'.",
  },
  duplicateParameter: { number: -1101, msg: "Duplicate values for a parameter detected." },
  missingParameter: {
    number: -1102,
    msg: "Mandatory parameter '%s' was not sent, was empty/null, or malformed.",
  },
  missingEither: { number: -1102, msg: "Param '%s' or '%s' must be sent, but both were empty/null!" },
  tooLarge: { number: -1102, msg: "'%s' contains unexpected value. Cannot be greater than %s." },
  unreadParameters: {
    number: -1104,
    msg: "Not all sent parameters were read; read '%s' parameter(s) but was sent '%s'.",
  },
  emptyParameter: { number: -1105, msg: "Parameter '%s' was empty." },
  notRequired: { number: -1106, msg: "Parameter '%s' sent when not required." },
  tooPrecise: { number: -1111, msg: "Parameter '%s' has too much precision." },
  invalidTimeInForce: { number: -1115, msg: "Invalid timeInForce." },
  invalidOrderType: { number: -1116, msg: "Invalid orderType." },
  invalidSide: { number: -1117, msg: "Invalid side." },
  emptyClientOrderId: { number: -1118, msg: "New client order ID was empty." },
  emptyOrigClientOrderId: { number: -1119, msg: "Original client order ID was empty." },
  invalidInterval: { number: -1120, msg: "Invalid interval." },
  lookupTooLong: { number: -1127, msg: "More than %s hours between startTime and endTime." },
  badCombination: { number: -1128, msg: "Combination of optional parameters invalid." },
  invalidParameter: { number: -1130, msg: "Data sent for parameter '%s' is not valid." },
  invalidTickerType: { number: -1139, msg: "Invalid ticker type." },
  invalidTimeUnit: { number: -1194, msg: "Invalid value for time unit; expected MILLISECOND." },
  invalidQuantity: { number: -1013, msg: "Invalid quantity." },
  lotSize: { number: -1013, msg: "Filter failure: LOT_SIZE" },
  unknownToCancel: { number: -2011, msg: "Unknown order sent." },
  otherClientOrderId: { number: -2039, msg: "Client order ID is not correct for this order ID." },
} as const satisfies Record<string, Omit<AliasFaultEntry, "status">>;

export type AliasProblem = keyof typeof ALIAS_PROBLEMS;
