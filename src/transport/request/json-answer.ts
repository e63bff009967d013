/** Reads the outcome of a call of an exchange that answers in JSON, with every number as its own text. */
import { type Fault, failed, localFault, ok, parseExactJson, type Result } from "../../contract/index.ts";
import type { WireOutcome } from "./ports.ts";

type WireAnswer = Extract<WireOutcome, { readonly kind: "answer" }>;

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** @returns undefined for anything that is not JSON in UTF-8 */
export function exactJsonOf(body: Uint8Array): unknown {
  try {
    return parseExactJson(UTF_8.decode(body));
  } catch {
    return undefined;
  }
}

interface JsonReading<T> {
  readonly isWrite: boolean;
  /** @returns undefined for what is not the answer to this call */
  readonly value: (json: unknown) => T | undefined;
  readonly refusal: (answer: WireAnswer, json: unknown) => Fault;
  /** Of an exchange that refuses with a status of success. */
  readonly isRefusal?: (json: unknown) => boolean;
}

/** A redirect is no answer either. */
export function readJsonAnswer<T>(outcome: WireOutcome, reading: JsonReading<T>): Result<T> {
  const { isWrite, value, refusal, isRefusal = () => false } = reading;
  switch (outcome.kind) {
    case "not_sent":
      return failed(localFault("ELocal:Venue unreachable"));
    case "no_answer":
      return failed(localFault("ELocal:No answer"));
    case "garbled":
      return failed(localFault("ELocal:Unreadable answer"));
    case "answer": {
      const json = exactJsonOf(outcome.body);
      if (outcome.status < 200 || outcome.status >= 300 || isRefusal(json)) return failed(refusal(outcome, json));
      const read = value(json);
      return read === undefined ? failed(unreadableAnswer(outcome.status, isWrite)) : ok(read);
    }
    default:
      return outcome satisfies never;
  }
}

export function unreadableAnswer(status: number, isWrite: boolean): Fault {
  return localFault("ELocal:Unreadable answer", { status, retry: status >= 500 && !isWrite ? "back_off" : "never" });
}
