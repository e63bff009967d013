/** What happened, in lines a person reads; kept only where somebody asked for it. */
import type { VirtualTime } from "./virtual-time.ts";

export class Trace {
  readonly lines: string[] = [];
  readonly #time: VirtualTime;
  readonly #startMs: number;
  readonly #names = new Map<string, string>();

  constructor(time: VirtualTime) {
    this.#time = time;
    this.#startMs = time.nowMs;
  }

  say(who: string, what: string): void {
    const ms = this.#time.nowMs - this.#startMs;
    const seconds = `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, "0")}`;
    this.lines.push(`${seconds.padStart(9)} ${who.padEnd(7)} ${what}`);
  }

  /** A short name for a long id, the same wherever it appears in this trace. */
  short(id: string | null | undefined): string {
    if (id === null || id === undefined) return "-";
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `#${this.#names.size + 1}`;
    this.#names.set(id, name);
    return name;
  }
}
