/**
 * Fails a command with one clear message on stderr, what to do about it, and an exit code. A stack trace is printed only for a
 * defect of ours, and only with HOGA_LOG_LEVEL=debug.
 *
 * Source: commands.md#exit-codes.
 */
import { defined, type Fault, localFault, type Result } from "../contract/index.ts";
import type { WriteOutcome } from "../desk/index.ts";
import { localMoments, type Words, wordsFor } from "../words/index.ts";
import { type Saying, systemSaying } from "./system-saying.ts";

/** 0 done, 1 failed, 2 bad usage, 3 denied by policy or not approved, 4 outcome unknown. */
export const EXIT = { done: 0, failed: 1, usage: 2, denied: 3, unknown: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error for the person at the terminal. */
export class ExplainedError extends Error {
  override readonly name: string = "ExplainedError";
  /** Says what to do next. */
  readonly fix: string;
  /** The same in other words; absent where there is only this one text. */
  readonly saying: Saying | undefined;

  constructor(message: string, fix: string, saying?: Saying) {
    super(message);
    this.fix = fix;
    this.saying = saying;
  }
}

/** The arguments of an error that is said in the words of whoever reads; for programs it is in English. */
export function said(saying: Saying): readonly [message: string, fix: string, saying: Saying] {
  return [...saying(wordsFor()), saying];
}

export class UsageError extends ExplainedError {
  override readonly name = "UsageError";
}

/** A person's yes was needed and was not given; the command ends as not approved. */
export class NotApprovedError extends ExplainedError {
  override readonly name = "NotApprovedError";

  toFault(): Fault {
    return localFault("ELocal:Not approved", { message: this.message, nextAction: this.fix });
  }
}

export class NotFoundError extends ExplainedError {
  override readonly name = "NotFoundError";
}

export class FaultError extends ExplainedError {
  override readonly name = "FaultError";
  readonly #fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, fault.nextAction);
    this.#fault = fault;
  }

  toFault(): Fault {
    return this.#fault;
  }
}

/** @throws FaultError where the step failed */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new FaultError(result.fault);
  return result.value;
}

/** An error that knows which fault of the table it is. */
function hasFault(error: unknown): error is Error & { toFault(): Fault } {
  return error instanceof Error && "toFault" in error && typeof error.toFault === "function";
}

/** Tells whether an error is for the person at the terminal, of whatever folder it comes. */
export function isExplained(error: unknown): error is Error & { readonly fix: string } {
  return error instanceof Error && "fix" in error && typeof error.fix === "string";
}

export function explain(error: unknown, words: Words): readonly string[] {
  const [first = "", ...rest] = explanation(error, words);
  return [`hoga: ${first}`, ...rest];
}

function explanation(error: unknown, words: Words): readonly string[] {
  const { say } = words;
  const system = systemSaying(error);
  if (system !== undefined) {
    const [message, fix] = system(words);
    return [message, `  → ${fix}`];
  }
  if (!isExplained(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return [say("error.broken", { message }), `  → ${say("error.report")}`];
  }
  const saying = error instanceof ExplainedError ? error.saying : undefined;
  if (saying !== undefined) {
    const [message, fix] = saying(words);
    return [message, `  → ${fix}`];
  }
  const { message, fix: nextAction } = error;
  return faultLines({ ...defined({ code: faultOf(error)?.code }), message, nextAction }, words);
}

/** A fault for people: what happened, and what to do. In Korean by its code, with the English of the moment below. */
export function faultLines(
  { code, message, nextAction }: Pick<Fault, "message" | "nextAction"> & { readonly code?: string },
  { locale, timeZone, say, korean: koreanOf }: Words,
): readonly string[] {
  const english = localMoments(message, timeZone);
  if (locale === "en") return [english, `  → ${nextAction}`];
  const korean =
    code === undefined
      ? { meaning: say("error.explained"), nextAction: say("error.read_below") }
      : koreanOf(code, message);
  const detail = say("error.detail", { detail: `${english} ${nextAction}` });
  return [korean.meaning, `  → ${korean.nextAction}`, `  ${detail}`];
}

/** A fault for people where a line says what happened and the next what to do: in Korean by its code, with the English of the moment. */
export function faultTold(
  { code, message, nextAction }: Pick<Fault, "message" | "nextAction"> & { readonly code?: string },
  { locale, say, korean: koreanOf }: Words,
): readonly [message: string, fix: string] {
  if (locale === "en" || code === undefined) return [message, nextAction];
  const korean = koreanOf(code, message);
  return [`${korean.meaning} ${say("error.detail", { detail: `${message} ${nextAction}` })}`, korean.nextAction];
}

/** The same of an error that is for the person. */
export function errorTold(error: Error & { readonly fix: string }, words: Words): readonly [string, string] {
  const saying = systemSaying(error) ?? (error instanceof ExplainedError ? error.saying : undefined);
  if (saying !== undefined) return saying(words);
  const { message, fix: nextAction } = error;
  return faultTold({ ...defined({ code: faultOf(error)?.code }), message, nextAction }, words);
}

/** Tells what a report says went wrong, in one paragraph. */
export function errorInWords(
  { code, message }: Pick<Fault, "code" | "message">,
  { locale, say, korean }: Words,
): string {
  return locale === "en" ? message : `${korean(code, message).meaning} ${say("error.detail", { detail: message })}`;
}

/** The same for programs, with a code where the error has one in the fault table. */
export function errorReport(error: unknown): object {
  const fault = faultOf(error);
  const [said, toDo] = systemSaying(error)?.(wordsFor()) ?? [];
  const message = said ?? (error instanceof Error ? error.message : String(error));
  const next = toDo ?? (isExplained(error) ? error.fix : undefined);
  return {
    error: {
      ...defined({ code: fault?.code }),
      class: "ELocal",
      message: fault?.message ?? message,
      retryable: false,
    },
    ...defined({ next_action: next }),
  };
}

function faultOf(error: unknown): Pick<Fault, "code" | "message"> | undefined {
  if (error instanceof UsageError) return { code: "ELocal:Invalid input", message: error.message };
  return hasFault(error) ? error.toFault() : undefined;
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof NotApprovedError ? EXIT.denied : EXIT.failed;
}

/** Tells whether a fault is about the arguments, rather than about the order or about what it needs on its way. */
export function isBadInput(code: string | undefined): boolean {
  return code === "ELocal:Invalid input" || code === "ELocal:Unknown market";
}

/**
 * Codes with which nothing was sent although nobody decided against the order: something that it needs does not work, does not
 * exist or is not known yet.
 */
const NOT_A_DENIAL =
  /^(ELocal:(Venue unreachable|No answer|Not checked|Unreadable answer|Store unavailable|Store damaged|No key|Unknown order|Not started|Twin unresolved|Withdrawn|Policy unreadable)|E(API|Service|General|Query):.*)$/;

export function exitCodeOf(outcome: WriteOutcome, state: string | undefined, code: string | undefined): ExitCode {
  switch (outcome) {
    case "accepted":
      return EXIT.done;
    case "rejected":
      return EXIT.failed;
    case "unknown":
      return EXIT.unknown;
    case "not_sent":
      if (isBadInput(code)) return EXIT.usage;
      // Withdrawn before anybody approved it.
      if (state === "not_placed" && code === undefined) return EXIT.done;
      if (state === "awaiting_approval" || code === "ELocal:Not approved") return EXIT.denied;
      return state === "denied" && !NOT_A_DENIAL.test(code ?? "") ? EXIT.denied : EXIT.failed;
    default:
      return outcome satisfies never;
  }
}
