/** JSON text on its way to the wire. Entry points: `WrittenJson`, for an answer that is text already; `jsonText`. */

export class WrittenJson {
  readonly text: string;
  /** Counts as UTF-8. */
  readonly bytes: number;

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.byteLength(text);
  }
}

export function jsonText(body: object): WrittenJson {
  return body instanceof WrittenJson ? body : new WrittenJson(JSON.stringify(body));
}
