/** Owns a terminal while a picture on it is drawn over and over: on the second screen, which leaves what was there as it was. */
import type { Invocation } from "../invocation.ts";

/** The second screen, without a cursor, and lines that are cut instead of broken. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const ROWS = 48;

export class LiveScreen {
  readonly #run: Invocation;
  #shown: string | undefined;

  constructor(run: Invocation) {
    this.#run = run;
  }

  show(text: string): void {
    const { io, out } = this.#run;
    const lines = text.split("\n").slice(0, io.stdout.rows ?? ROWS);
    const enter = this.#shown === undefined ? ENTER : "";
    this.#shown = text;
    out.write(`${enter}\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
  }

  /** The last picture stays, on the screen that was there before. */
  close(): void {
    if (this.#shown === undefined) return;
    this.#run.out.write(LEAVE);
    this.#run.out.print(this.#shown);
    this.#shown = undefined;
  }
}
