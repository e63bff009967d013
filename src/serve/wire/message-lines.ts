/**
 * Owns the messages of a client over a pipe, one a line: each goes on as the object that it is, in the form that the reader behind takes, and what cannot be
 * read is answered here.
 *
 * Invariants: no line is kept longer than a message may be; nothing more is read while the client does not take its answers.
 *
 * Source: decision 0080.
 */
import { Transform, type TransformCallback, type Writable } from "node:stream";
import { scrubber } from "../../config/index.ts";
import { incoming, type Refusal, refusalOf } from "./incoming.ts";

/** Characters of one message. */
const LINE_MAX = 1_000_000;
const TOO_LONG = refusalOf(null, [-32_600, `Invalid Request: a message has at most ${LINE_MAX} characters`]);

export class MessageLines extends Transform {
  readonly #refuse: (refusal: Refusal) => Promise<void>;
  #rest = "";
  /** Tells that the line that has begun was too long, and is passed over. */
  #isPassedOver = false;

  /** @param refuse resolves when the client has room for more */
  constructor(refuse: (refusal: Refusal) => Promise<void>) {
    super({ decodeStrings: false, readableObjectMode: true });
    this.setDefaultEncoding("utf8");
    this.#refuse = refuse;
  }

  override _transform(chunk: string, _: BufferEncoding, goOn: TransformCallback): void {
    const lines = `${this.#rest}${chunk}`.split("\n");
    this.#rest = lines.pop() ?? "";
    const refused = lines.flatMap((line) => this.#take(line) ?? []);
    if (this.#rest.length > LINE_MAX) {
      refused.push(this.#passOver());
      this.#rest = "";
    }
    if (refused.length === 0) goOn();
    else void Promise.all(refused).then(() => goOn());
  }

  override _flush(goOn: TransformCallback): void {
    void Promise.resolve(this.#take(this.#rest)).then(() => goOn());
  }

  /** @returns where it is refused, when the client has room for more */
  #take(line: string): Promise<void> | undefined {
    const isEnd = this.#isPassedOver;
    this.#isPassedOver = false;
    if (isEnd || line.trim() === "") return undefined;
    if (line.length > LINE_MAX) return this.#refuse(TOO_LONG);
    const read = incoming(line);
    if (read.kind === "message") this.push(read.value);
    return read.kind === "refused" ? this.#refuse(read.refusal) : undefined;
  }

  async #passOver(): Promise<void> {
    const isKnown = this.#isPassedOver;
    this.#isPassedOver = true;
    if (!isKnown) await this.#refuse(TOO_LONG);
  }
}

/** Writes a refusal to a client over a pipe. */
export function refusalsTo(stdout: Writable): (refusal: Refusal) => Promise<void> {
  return async (refusal) => {
    if (stdout.write(`${scrubber.json(refusal)}\n`) || stdout.destroyed) return;
    await new Promise<void>((resolve) => stdout.once("drain", resolve).once("close", resolve));
  };
}
