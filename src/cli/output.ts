/**
 * Prints for a command: text for people, one JSON line for programs. The only writer to stdout and stderr outside the protocol.
 *
 * Invariant: no secret is printed, with two exceptions. `printKeyPair` hands out the key of a sandbox, which guards no money (the
 * same pair is in the key file of that sandbox, readable by its owner alone). `printHandingOut` hands out the one secret that it is
 * given: the token in a configuration to paste.
 */
import { type Secret, scrubber } from "../config/index.ts";

/** Holds a secret's place until everything else is scrubbed. A character that no text of ours has, and that JSON writes as it is. */
const STAND_IN = "\uE000";

export interface TextSink {
  /** @param written called once it was taken, or with why it was not */
  write(text: string, written?: (error?: Error | null) => void): unknown;
}

export class Output {
  readonly #stdout: TextSink;
  readonly #stderr: TextSink;
  #hasPrinted = false;
  #isRefused = false;

  constructor(stdout: TextSink, stderr: TextSink) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** Tells whether anything was printed: a program that asked for JSON gets exactly one line. */
  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  print(text: string): void {
    this.#put(`${scrubber.text(text)}\n`);
  }

  printJson(value: unknown): void {
    this.#put(`${scrubber.json(value)}\n`);
  }

  /** The key pair of a sandbox, for the clients it is tried with. */
  printKeyPair(text: string): void {
    this.#put(`${text}\n`);
  }

  /** @param content text, or a value to print as JSON, with what it is given in the place of the secret */
  printHandingOut(secret: Secret, content: (standIn: string) => string | object): void {
    const given = content(STAND_IN);
    const text = typeof given === "string" ? scrubber.text(given) : scrubber.json(given);
    this.#put(`${text.replaceAll(STAND_IN, () => secret.reveal())}\n`);
  }

  /** Text that brings its own line break, as commander's does. */
  write(text: string): void {
    this.#put(scrubber.text(text));
  }

  writeError(text: string): void {
    this.#stderr.write(scrubber.text(text));
  }

  /** Said beside the result: on stderr, so that stdout stays clean. */
  notice(text: string): void {
    this.writeError(`hoga: ${text}\n`);
  }

  /** Tells whether stdout has taken all that was printed; false where nobody reads it any more. */
  async taken(): Promise<boolean> {
    await new Promise<void>((resolve) => this.#write("", resolve));
    return !this.#isRefused;
  }

  #put(text: string): void {
    this.#hasPrinted = true;
    this.#write(text, () => undefined);
  }

  #write(text: string, ended: () => void): void {
    this.#stdout.write(text, (error) => {
      if (error !== undefined && error !== null) this.#isRefused = true;
      ended();
    });
  }
}
