/**
 * Owns one key of incoming JSON: `__proto__`. The parsers behind this drop it silently, and an argument that is not seen cannot be
 * refused. So it is renamed here to a name that no tool knows, and the strict schemas refuse it by that name.
 */
import { Transform, type TransformCallback } from "node:stream";

const HIDDEN = "__proto__";
const SHOWN = "__proto__ (not a field)";
/** A line without these letters, plain or escaped, cannot hold the key. */
const SUSPECT = /proto__|\\u/i;

/** Characters kept of a line that does not end; more is passed on, and the reader behind has a limit of its own. */
const LINE_MAX = 1_000_000;

/** Renames the key wherever it is an object's own. Changes the value given and returns it. */
export function withOwnKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const item of value) withOwnKeys(item);
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) withOwnKeys(child);
  const own = Object.getOwnPropertyDescriptor(value, HIDDEN);
  if (own === undefined) return value;
  Reflect.deleteProperty(value, HIDDEN);
  Object.defineProperty(value, SHOWN, own);
  return value;
}

/** The same for newline-delimited messages. Lines that are not JSON pass as they are: the reader behind complains of them. */
export class OwnKeyLines extends Transform {
  #rest = "";

  constructor() {
    super({ decodeStrings: false });
    this.setDefaultEncoding("utf8");
  }

  override _transform(chunk: string, _: BufferEncoding, done: TransformCallback): void {
    const lines = `${this.#rest}${chunk}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.push(`${renamed(line)}\n`);
    if (this.#rest.length > LINE_MAX) {
      this.push(this.#rest);
      this.#rest = "";
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#rest !== "") this.push(renamed(this.#rest));
    done();
  }
}

function renamed(line: string): string {
  if (!SUSPECT.test(line)) return line;
  try {
    return JSON.stringify(withOwnKeys(JSON.parse(line)));
  } catch {
    return line;
  }
}
