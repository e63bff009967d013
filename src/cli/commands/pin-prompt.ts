/**
 * Asking a person for the PIN, on a terminal and nowhere else: a program that pipes text in cannot answer. The PIN is neither an
 * argument (others could read it in the process list) nor an environment variable.
 *
 * Invariants: from the start of a command to its end the terminal shows nothing of what is typed, but for what answers a question that says so;
 * only what is typed after a question was shown answers it.
 *
 * Source: architecture.md#rule-2.
 */
import { setImmediate as turn } from "node:timers/promises";
import { pinRefusal } from "../../words/index.ts";
import type { Composition, DeskStore } from "../composition/compose.ts";
import { NotApprovedError, said, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

/** Asks a question and reads one line, unseen unless it is no secret. @throws NotApprovedError when the person gives up */
export type Ask = (question: string, isShown?: boolean) => Promise<string>;

const ENTER = new Set(["\r", "\n"]);
const ERASE = new Set(["\b", "\u007f"]);
const INTERRUPT = "\u0003";
/** Ctrl-C, and Ctrl-D, which is also what a terminal sends when nobody is there to type any more. */
const GIVE_UP = new Set([INTERRUPT, "\u0004"]);
/** More than any PIN has, so that one that is too long is refused as such and never cut. */
const LENGTH_MAX = 1_000;

/**
 * Runs a command before whoever sits at the terminal.
 * @throws NotApprovedError where a person cannot be asked
 */
export async function atTerminal(
  { io }: Invocation,
  what: "approve" | "plan" | "settle" | "resume" | "pin" | "passkeys" | "key" | "probe" | "init",
  use: (ask: Ask) => Promise<void>,
): Promise<void> {
  const { stdin, stderr } = io;
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new NotApprovedError(
      ...said(({ say }) => [say("terminal.needed", { what: say(`terminal.${what}`) }), say("terminal.open_one")]),
    );
  const keys = new Keys(() => io.interrupt());
  const onData = (chunk: string): void => keys.press(chunk);
  const onEnd = (): void => keys.giveUp();
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8").on("data", onData).once("end", onEnd);
  try {
    await use(async (question, isShown = false) => {
      // Input that is already buffered was typed before the question.
      await turn();
      stderr.write(`${question}: `);
      try {
        return await keys.line(isShown ? (text) => stderr.write(text) : undefined);
      } finally {
        stderr.write("\n");
      }
    });
  } finally {
    stdin.off("data", onData).off("end", onEnd).pause();
    stdin.setRawMode?.(false);
  }
}

/** Reads what is typed, key by key, and the one question that waits for an answer. */
class Keys {
  #question: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | undefined;
  #typed: string[] = [];
  #show: ((text: string) => void) | undefined;
  readonly #interrupt: () => void;

  constructor(interrupt: () => void) {
    this.#interrupt = interrupt;
  }

  line(show?: (text: string) => void): Promise<string> {
    this.#typed = [];
    this.#show = show;
    return new Promise((resolve, reject) => {
      this.#question = { resolve, reject };
    });
  }

  press(chunk: string): void {
    for (const key of chunk) {
      if (this.#question === undefined) {
        // In raw mode the terminal passes every key to us, Ctrl-C too.
        if (key === INTERRUPT) this.#interrupt();
      } else if (ENTER.has(key)) this.#answer(this.#question);
      else if (GIVE_UP.has(key)) this.giveUp();
      else if (ERASE.has(key)) this.#erase();
      else if (this.#typed.length < LENGTH_MAX && key >= " ") this.#type(key);
    }
  }

  #type(key: string): void {
    this.#typed.push(key);
    this.#show?.(key);
  }

  #erase(): void {
    if (this.#typed.pop() !== undefined) this.#show?.("\b \b");
  }

  giveUp(): void {
    this.#question?.reject(
      new NotApprovedError(...said(({ say }) => [say("terminal.given_up"), say("terminal.unchanged")])),
    );
    this.#question = undefined;
  }

  #answer({ resolve }: { readonly resolve: (line: string) => void }): void {
    this.#question = undefined;
    resolve(this.#typed.join(""));
  }
}

type PinVerdict = Awaited<ReturnType<DeskStore["pin"]["check"]>>;
type PinRefusal = Exclude<Awaited<ReturnType<DeskStore["pin"]["set"]>>, "set">;

/** Asks for the PIN, if one is set. @throws NotApprovedError when none is set, or the one typed is wrong */
export async function provePin({ words }: Invocation, { store, commandLine }: PinSource, ask: Ask): Promise<void> {
  const { pin } = await store();
  if (!(await pin.isSet())) {
    const command = commandLine("pin");
    throw new NotApprovedError(...said(({ say }) => [say("pin.unset"), say("pin.set_with", { command })]));
  }
  requireRight(await pin.check(await ask(words.say("pin.ask")), Date.now()));
}

type PinSource = Pick<Composition, "store" | "commandLine">;

/** @throws NotApprovedError, or UsageError for its length, unless the PIN was right */
export function requireRight(verdict: PinVerdict | PinRefusal): void {
  if ("ok" in verdict && verdict.ok) return;
  switch (verdict.why) {
    case "wrong":
    case "locked":
    case "unset":
      throw new NotApprovedError(...said((words) => pinRefusal(verdict, words, "hoga pin")));
    case "length":
      throw new UsageError(
        ...said(({ say }) => [say("pin.length", { min: verdict.min, max: verdict.max }), say("pin.start_again")]),
      );
    case "current_needed":
      throw new NotApprovedError(...said(({ say }) => [say("pin.exists"), say("pin.run_again")]));
    default:
      verdict satisfies never;
  }
}
