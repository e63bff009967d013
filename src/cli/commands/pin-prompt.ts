/**
 * Asking a person for the PIN, on a terminal and nowhere else: a program that only pipes text in has no way to answer. What is
 * typed is not an argument (which others could read in the process list) and not an environment variable.
 *
 * Invariants: from the first moment of a command to its end the terminal shows nothing of what is typed; only what is typed
 * after a question was shown is an answer to it.
 *
 * Source: architecture.md#rule-2.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { DeskStore } from "../composition/compose.ts";
import { NotApprovedError, UsageError } from "../failure.ts";
import type { Io } from "../invocation.ts";

/** Asks a question and reads one line, unseen. @throws NotApprovedError when the person gives up */
export type Ask = (question: string) => Promise<string>;

const ENTER = new Set(["\r", "\n"]);
const ERASE = new Set(["\b", "\u007f"]);
const INTERRUPT = "\u0003";
/** Ctrl-C, and Ctrl-D, which is also what a terminal sends when nobody is there to type any more. */
const GIVE_UP = new Set([INTERRUPT, "\u0004"]);
/** More than any PIN has, so that one that is too long is told as such and never cut. */
const LENGTH_MAX = 1_000;

/**
 * Runs a command before whoever sits at the terminal.
 * @throws NotApprovedError where a person cannot be asked
 */
export async function atTerminal(io: Io, what: string, use: (ask: Ask) => Promise<void>): Promise<void> {
  const { stdin, stderr } = io;
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new NotApprovedError(
      `${what} is a person's to do, and asks for the PIN on a terminal; this is not one.`,
      "Run the command yourself in a terminal window.",
    );
  const keys = new Keys(() => io.interrupt());
  const onData = (chunk: string): void => keys.press(chunk);
  const onEnd = (): void => keys.giveUp();
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8").on("data", onData).once("end", onEnd);
  try {
    await use(async (question) => {
      // What is there already was typed before the question.
      await turn();
      stderr.write(`${question}: `);
      try {
        return await keys.line();
      } finally {
        stderr.write("\n");
      }
    });
  } finally {
    stdin.off("data", onData).off("end", onEnd).pause();
    stdin.setRawMode?.(false);
  }
}

/** What is typed, key by key, and the one question that waits for it. */
class Keys {
  private asked: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | undefined;
  private typed: string[] = [];
  private readonly interrupt: () => void;

  constructor(interrupt: () => void) {
    this.interrupt = interrupt;
  }

  line(): Promise<string> {
    this.typed = [];
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject };
    });
  }

  press(chunk: string): void {
    for (const key of chunk) {
      if (this.asked === undefined) {
        // The terminal leaves it to us, as it leaves every key to us.
        if (key === INTERRUPT) this.interrupt();
      } else if (ENTER.has(key)) this.answer(this.asked);
      else if (GIVE_UP.has(key)) this.giveUp();
      else if (ERASE.has(key)) this.typed.pop();
      else if (this.typed.length < LENGTH_MAX) this.typed.push(key);
    }
  }

  giveUp(): void {
    this.asked?.reject(new NotApprovedError("Given up.", "Nothing was changed."));
    this.asked = undefined;
  }

  private answer({ resolve }: { readonly resolve: (line: string) => void }): void {
    this.asked = undefined;
    resolve(this.typed.join(""));
  }
}

type PinVerdict = Awaited<ReturnType<DeskStore["pin"]["check"]>>;
type PinRefusal = Exclude<Awaited<ReturnType<DeskStore["pin"]["set"]>>, "set">;

/** Nobody is asked for a PIN that there is not. @throws NotApprovedError when none is set, or the one typed is not right */
export async function provePin(pin: DeskStore["pin"], ask: Ask): Promise<void> {
  requireRight((await pin.isSet()) ? await pin.check(await ask("PIN"), Date.now()) : { ok: false, why: "unset" });
}

/** What the person has to know when a PIN was not taken. @throws NotApprovedError unless it was right */
export function requireRight(verdict: PinVerdict | PinRefusal): void {
  if ("ok" in verdict && verdict.ok) return;
  switch (verdict.why) {
    case "wrong":
      throw new NotApprovedError(
        "The PIN is wrong.",
        `Wrong PINs left before it is locked for a while: ${verdict.left}.`,
      );
    case "locked":
      throw new NotApprovedError(
        "Too many wrong PINs: it is locked.",
        `Try again after ${new Date(verdict.untilMs).toISOString()}.`,
      );
    case "unset":
      throw new NotApprovedError("No PIN is set yet.", "Set one with hoga pin, in a terminal.");
    case "length":
      throw new UsageError(
        `A PIN has ${verdict.min} to ${verdict.max} characters.`,
        "Nothing was changed; start again.",
      );
    case "current_needed":
      throw new NotApprovedError("A PIN is set already, and changing it takes it.", "Run hoga pin again.");
    default:
      verdict satisfies never;
  }
}
