/**
 * The outcomes of a call, and Upbit's errors: `{"error":{"name","message"}}`. Entry points: `answer`, `changed`, `refuse`, `refuseSide`.
 *
 * Invariant: every name and status is a row of `ERRORS`, where SOURCES.md says which of them stand on a document.
 */
import type { FaultCode } from "../../../contract/index.ts";
import type { Refusal } from "../../model/index.ts";
import type { Json } from "../../venue-kit/json-text.ts";

export interface UpbitAnswer {
  readonly ok: true;
  readonly status: 200 | 201;
  readonly body: Json;
  /** Tells whether the call changed the exchange; the reply then waits until that is on disk. */
  readonly changed: boolean;
}

export interface UpbitError {
  readonly ok: false;
  readonly status: number;
  /** May be a number: then the name is the status. */
  readonly name: string | number;
  readonly message: string;
  /** Tells that the call changed the exchange all the same, where that is injected. */
  readonly changed?: boolean;
}

export type UpbitOutcome = UpbitAnswer | UpbitError;

/** What the side of an order is called. */
export type UpbitSide = "bid" | "ask";

const ERRORS = {
  invalid_parameter: [400, "잘못된 파라미터입니다."],
  validation_error: [400, "잘못된 API 요청입니다."],
  invalid_time_in_force: [400, "지원하지 않는 주문 조건입니다."],
  notfoundmarket: [400, "지원하지 않는 마켓입니다."],
  duplicated_identifier: [400, "이미 사용한 identifier입니다."],
  no_authorization_token: [401, "인증 토큰이 없습니다."],
  invalid_access_key: [401, "잘못된 엑세스 키입니다."],
  jwt_verification: [401, "Jwt 토큰 검증에 실패했습니다."],
  invalid_query_payload: [401, "Jwt의 query를 검증하는데 실패하였습니다."],
  nonce_used: [401, "이미 요청한 nonce값이 다시 사용되었습니다."],
  expired_access_key: [401, "API 키가 만료되었습니다."],
  no_authorization_ip: [401, "허용되지 않은 IP 주소입니다."],
  no_authorization_i_p: [403, "허용되지 않은 IP 주소입니다."],
  out_of_scope: [401, "권한이 부족합니다."],
  market_offline: [403, "현재 주문할 수 없는 마켓입니다."],
  order_not_found: [404, "주문을 찾지 못했습니다."],
  server_error: [500, "일시적인 오류가 발생했습니다."],
} as const;

export type ErrorName = keyof typeof ERRORS;

/** Errors of which a buy and a sell have one each: `insufficient_funds_bid`. */
const SIDE_ERRORS = {
  create: [400, "주문 요청 정보가 올바르지 않습니다.", "_error"],
  insufficient_funds: [400, "주문가능한 금액이 부족합니다.", ""],
  under_min_total: [400, "최소주문금액 이상으로 주문해주세요.", ""],
  invalid_price: [400, "주문가격 단위를 잘못 입력하셨습니다. 확인 후 시도해주세요.", ""],
} as const;

export function answer(body: Json): UpbitAnswer {
  return { ok: true, status: 200, body, changed: false };
}

/** An answer to a call that changed the exchange. */
export function changed(body: Json, status: UpbitAnswer["status"] = 200): UpbitAnswer {
  return { ok: true, status, body, changed: true };
}

export function refuse(name: ErrorName, message: string = ERRORS[name][1]): UpbitError {
  return { ok: false, status: ERRORS[name][0], name, message };
}

export function refuseSide(what: keyof typeof SIDE_ERRORS, side: UpbitSide): UpbitError {
  const [status, message, ending] = SIDE_ERRORS[what];
  return { ok: false, status, name: `${what}_${side}${ending}`, message };
}

/** The name has the quote currency: `over_…_funds_bid`. */
export function overMaximum(quote: string, side: UpbitSide): UpbitError {
  const name = `over_${quote.toLowerCase()}_funds_${side}`;
  return { ok: false, status: 400, name, message: "최대주문금액을 초과하였습니다." };
}

/** What a parameter lacks, in the words that clients have recorded. */
export function badValue(name: string): UpbitError {
  return refuse("validation_error", `${name} is missing, ${name} does not have a valid value`);
}

/** Quotations and unknown paths have a status in place of a name. */
export function numbered(status: 400 | 404, message: string): UpbitError {
  return { ok: false, status, name: status, message };
}

export const MISSING_PARAMETER = numbered(400, "Missing request parameter error. Check the required parameters!");
export const INVALID_PARAMETER = numbered(400, "Invalid parameter. Check the given value!");
export const UNKNOWN_CODE = numbered(404, "Code not found");

const REFUSALS: Partial<Record<FaultCode, (side: UpbitSide) => UpbitError>> = {
  "EOrder:Market halted": () => refuse("market_offline"),
  "EOrder:Invalid price": (side) => refuseSide("invalid_price", side),
  "EOrder:Order minimum not met": (side) => refuseSide("under_min_total", side),
  "EOrder:Insufficient funds": (side) => refuseSide("insufficient_funds", side),
  "EQuery:Unknown asset pair": () => refuse("notfoundmarket"),
};

/** A refusal of an order by the engine. */
export function refusedOrder({ code, field, message }: Refusal, side: UpbitSide): UpbitError {
  if (code === "EOrder:Tick size check failed" && field === "price") return refuseSide("invalid_price", side);
  return REFUSALS[code]?.(side) ?? refuse("validation_error", message);
}
