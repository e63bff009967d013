/**
 * The content of a refusal, for tests to compare.
 */
import { isDeepStrictEqual } from "node:util";
import { errorBody } from "../../../src/contract/index.ts";
import type { Reply } from "./signed-client.ts";

export type Refusal = [status: number, code: string, field: string | undefined];

/** @throws unless the answer has exactly the contract's error form and states the version. */
export function refusal({ status, headers, json, text }: Reply): Refusal {
  const parsed = errorBody.safeParse(json);
  if (!parsed.success || !isDeepStrictEqual(parsed.data, json)) throw new Error(`not an error body: ${status} ${text}`);
  if (headers["api-version"] !== "1.4.0") throw new Error(`the version is missing: ${text}`);
  return [status, parsed.data.error.code, parsed.data.error.field];
}

export function wrongField(field: string): Refusal {
  return [400, `EGeneral:Invalid arguments:${field}`, field];
}
