/** How the answer to a call is read: by the call's own schema, and only where it belongs to the call. */
import type { z } from "zod";
import type { Fault, Result } from "../contract/index.ts";
import { readJsonAnswer, type WireOutcome } from "../transport/index.ts";

interface Asked<T> {
  readonly isWrite: boolean;
  readonly response: z.ZodType<T>;
  /** Whether the answer belongs to the call: on a connection out of step it may be another's. */
  readonly matches?: ((answer: T) => boolean) | undefined;
}

export interface Refusals {
  readonly refusal: (answer: Extract<WireOutcome, { readonly kind: "answer" }>, json: unknown) => Fault;
  /** Of an exchange that refuses with a status of success. */
  readonly isRefusal?: (json: unknown) => boolean;
}

export function answerTo<T>(
  outcome: WireOutcome,
  { isWrite, response, matches = () => true }: Asked<T>,
  refusals: Refusals,
): Result<T> {
  return readJsonAnswer(outcome, {
    ...{ isWrite, ...refusals },
    value: (json) => {
      const parsed = response.safeParse(json);
      return parsed.success && matches(parsed.data) ? parsed.data : undefined;
    },
  });
}
