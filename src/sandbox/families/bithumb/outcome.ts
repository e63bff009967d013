/**
 * The outcomes of a call, and Bithumb's errors: `{"error":{"name","message"}}`. Entry points: `answer`, `changed`, `refuse`, `refuseSide`.
 *
 * Invariant: every name and status is a row of `ERRORS` or `SIDE_ERRORS`, where SOURCES.md says which of them stand on a document.
 */
import type { FaultCode } from "../../../contract/index.ts";
import type { Refusal } from "../../model/index.ts";
import type { Json } from "../../venue-kit/json-text.ts";

export interface BithumbAnswer {
  readonly ok: true;
  readonly status: 200 | 201;
  readonly body: Json;
  /** Tells whether the call changed the exchange; the reply then waits until that is on disk. */
  readonly changed: boolean;
}

export interface BithumbError {
  readonly ok: false;
  readonly status: number;
  /** A number where quotations are refused. */
  readonly name: string | number;
  readonly message: string;
  /** Tells that the call changed the exchange all the same, where that is injected. */
  readonly changed?: boolean;
}

export type BithumbOutcome = BithumbAnswer | BithumbError;

/** What the side of an order is called. */
export type BithumbSide = "bid" | "ask";

const ERRORS = {
  invalid_parameter: [400, "잘못된 파라미터 입니다."],
  "currency does not have a valid value": [400, "빗썸에서 지원하지 않는 코인 입니다."],
  duplicate_client_order_id: [400, "이미 사용한 client_order_id입니다."],
  market_offline: [400, "현재 주문할 수 없는 마켓입니다."],
  too_many_requests: [429, "요청 수 제한을 초과했습니다."],
  invalid_access_key: [401, "잘못된 엑세스 키입니다."],
  jwt_verification: [401, "Jwt 토큰 검증에 실패했습니다."],
  invalid_query_payload: [401, "Jwt의 query를 검증하는데 실패하였습니다."],
  expired_jwt: [401, "Jwt가 만료되었습니다."],
  NotAllowIP: [401, "not allowed client IP"],
  out_of_scope: [401, "권한이 부족합니다."],
  order_not_found: [404, "주문을 찾지 못했습니다."],
  order_not_ready: [422, "주문 접수 처리 중입니다. 잠시 후 다시 시도해주세요."],
  server_error: [500, "일시적인 오류가 발생했습니다."],
} as const;

export type ErrorName = keyof typeof ERRORS;

/** Errors of which a buy and a sell have one each: `insufficient_funds_bid`. */
const SIDE_ERRORS = {
  insufficient_funds: "주문가능한 금액이 부족합니다.",
  under_min_total: "최소주문금액 이상으로 주문해주세요.",
  invalid_price: "주문가격 단위를 잘못 입력하셨습니다. 확인 후 시도해주세요.",
} as const;

export function answer(body: Json): BithumbAnswer {
  return { ok: true, status: 200, body, changed: false };
}

/** An answer to a call that changed the exchange. */
export function changed(body: Json, status: BithumbAnswer["status"] = 200): BithumbAnswer {
  return { ok: true, status, body, changed: true };
}

export function refuse(name: ErrorName, message: string = ERRORS[name][1]): BithumbError {
  return { ok: false, status: ERRORS[name][0], name, message };
}

export function refuseSide(what: keyof typeof SIDE_ERRORS, side: BithumbSide): BithumbError {
  return { ok: false, status: 400, name: `${what}_${side}`, message: SIDE_ERRORS[what] };
}

export function badValue(name: string): BithumbError {
  return refuse("invalid_parameter", `${ERRORS.invalid_parameter[1]} (${name})`);
}

/** Quotations and unknown paths have a status in place of a name. */
export function numbered(status: 400 | 404, message: string): BithumbError {
  return { ok: false, status, name: status, message };
}

export const MISSING_PARAMETER = numbered(400, "Missing request parameter error. Check the required parameters!");
export const WRONG_PARAMETER = numbered(400, "Invalid parameter. Check the given value!");
export const UNKNOWN_CODE = numbered(404, "Code not found");

/** What an error looks like, also inside the answer to several orders. */
export function errorView({ name, message }: BithumbError): {
  readonly name: string | number;
  readonly message: string;
} {
  return { name, message };
}

const REFUSALS: Partial<Record<FaultCode, (side: BithumbSide) => BithumbError>> = {
  "EOrder:Market halted": () => refuse("market_offline"),
  "EOrder:Invalid price": (side) => refuseSide("invalid_price", side),
  "EOrder:Order minimum not met": (side) => refuseSide("under_min_total", side),
  "EOrder:Insufficient funds": (side) => refuseSide("insufficient_funds", side),
  "EQuery:Unknown asset pair": () => refuse("currency does not have a valid value"),
};

/** A refusal of an order by the engine. */
export function refusedOrder({ code, field, message }: Refusal, side: BithumbSide): BithumbError {
  if (code === "EOrder:Tick size check failed" && field === "price") return refuseSide("invalid_price", side);
  return REFUSALS[code]?.(side) ?? refuse("invalid_parameter", message);
}
