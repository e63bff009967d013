/**
 * What an answer of Coinone means when it is not what was asked for. It refuses with a code, whatever the status of the answer.
 *
 * Invariant: only a code that stands here as a refusal lets a write count as refused. Whatever is not listed, a time-out, a failure of the exchange
 * and an answer that cannot be read leave open what became of it.
 *
 * Source: SOURCES.md#errors, architecture.md#rule-5, architecture.md#rule-10.
 */
import { z } from "zod";
import type { Fault } from "../../contract/index.ts";
import { type Asked, faultOf, refusalsOf } from "../refusals.ts";

export const ERRORS = refusalsOf([
  ["sure", "EOrder:Insufficient funds", "103|157"],
  ["sure", "EOrder:Order minimum not met", "113|306"],
  ["sure", "EOrder:Tick size check failed", "310|311"],
  ["sure", "EOrder:Invalid price", "105|111|301|302|303|304|308"],
  ["sure", "EOrder:Orders limit exceeded", "115"],
  ["sure", "EOrder:Order already closed", "116"],
  ["sure", "EGeneral:Invalid arguments", "101|107|114|161|162|163|164|165|166|167|300|305|307|309|313|314|316|317"],
  ["sure", "EQuery:Unknown asset pair", "108|109"],
  ["sure", "EGeneral:Permission denied", "50|52|53|315"],
  ["gate", "EAPI:Rate limit exceeded", "4"],
  ["gate", "EAPI:IP not allowed", "10"],
  ["gate", "EAPI:Invalid key", "8|11|12|21|22|23|24|25|26|27|28|29|151"],
  ["gate", "EAPI:Invalid signature", "120|121|122|123|130|133"],
  ["gate", "EGeneral:Permission denied", "40"],
  ["gate", "EGeneral:Unknown method", "20|51"],
  ["duplicate", "EOrder:Duplicate userref", "118|312"],
  // A second delivery is answered so, too.
  ["maybe", "EAPI:Invalid nonce", "131|132"],
  ["maybe", "EOrder:Order already closed", "117"],
  ["maybe", "EService:Unavailable", "405"],
  // Of withdrawals and of older versions: no answer to any call made here.
  ["maybe", "EGeneral:Invalid arguments", "152|153|154|155|156|158|159|160|202|777|1201|1202|1206"],
  ["maybe", "EGeneral:Invalid arguments", "3001|3002|3003|3004|3005|3006|3007|3009|3010|3011|3012|3013|3014|3015"],
  ["maybe", "EGeneral:Invalid arguments", "3016|3017|3018"],
  ["not_found", "EOrder:Unknown order", "104"],
]);

const refusal = z.looseObject({
  ...{ result: z.string().nullish(), error_code: z.string().nullish(), errorCode: z.string().nullish() },
  ...{ error_msg: z.string().nullish().catch(undefined), errorMsg: z.string().nullish().catch(undefined) },
});

/** Also with a status of success. */
export function isRefusal(json: unknown): boolean {
  const said = refusal.safeParse(json);
  return said.success && said.data.result === "error";
}

export function faultIn({ status }: { readonly status: number }, json: unknown, asked: Asked): Fault {
  const { error_code, errorCode, error_msg, errorMsg } = refusal.safeParse(json).data ?? {};
  const code = error_code ?? errorCode;
  return faultOf(status, asked, {
    said: code != null && [code, error_msg ?? errorMsg],
    listed: ERRORS.get(code ?? ""),
  });
}
