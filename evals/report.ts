/** What came of the requests, in words or as JSON. Entry point: `Report`. */
import type { Played } from "./play.ts";
import type { Request } from "./request.ts";

export interface Totals {
  readonly requests: number;
  readonly passed: number;
  readonly failed: number;
  /** Of tools. */
  readonly calls: number;
  /** As the model's service counts them; zero without a model. */
  readonly tokens: { readonly read: number; readonly written: number };
}

/**
 * Writes a line when a request is done, and one for all of them at the end. The key is in none of them: whatever repeats it, a model or its
 * service, is printed without it.
 */
export class Report {
  readonly #write: (text: string) => void;
  readonly #isJson: boolean;
  readonly #secret: string;
  #totals: Totals = { requests: 0, passed: 0, failed: 0, calls: 0, tokens: { read: 0, written: 0 } };

  constructor({ write, json, secret = "" }: { write: (text: string) => void; json: boolean; secret?: string }) {
    this.#write = write;
    this.#isJson = json;
    this.#secret = secret;
  }

  add({ id, says }: Request, { calls, wrong, tokens }: Played): void {
    const { requests, passed, failed, ...sums } = this.#totals;
    const ok = wrong.length === 0;
    this.#totals = {
      requests: requests + 1,
      passed: passed + (ok ? 1 : 0),
      failed: failed + (ok ? 0 : 1),
      calls: sums.calls + calls.length,
      tokens: { read: sums.tokens.read + tokens.read, written: sums.tokens.written + tokens.written },
    };
    this.#line(
      this.#isJson
        ? JSON.stringify({ id, says, ok, wrong, tokens, calls })
        : `${ok ? "ok   " : "WRONG"} ${id}: ${says} → ${calls.map(({ name }) => name).join(", ")}${inWords(tokens)}`,
    );
    if (!this.#isJson) for (const each of wrong) this.#line(`      ${each}`);
  }

  /** @returns the sums, which were written as the last line */
  end(): Totals {
    const { requests, passed, failed, calls, tokens } = this.#totals;
    this.#line(
      this.#isJson
        ? JSON.stringify({ totals: this.#totals })
        : `${passed} of ${requests} requests went well, ${failed} did not; ${calls} calls${inWords(tokens)}`,
    );
    return this.#totals;
  }

  #line(text: string): void {
    this.#write(`${this.#secret === "" ? text : text.replaceAll(this.#secret, "[the key]")}\n`);
  }
}

function inWords({ read, written }: Totals["tokens"]): string {
  return read + written === 0 ? "" : ` (${read} tokens read, ${written} written)`;
}
