/**
 * Reads the parameters of a call, from the query and from a form body, and the text of them that is signed. Entry points: `readParameters`, `Parameters`.
 *
 * Invariant: the signed text is what was sent, still encoded and in its order, without `signature`; that of a query and that of a body are joined by
 * nothing.
 */
import { badRequest, type KorbitError, refuse } from "./outcome.ts";

/** The values of a call by name. An empty value counts as none. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** The items between commas; empty without any. */
  list(name: string): readonly string[] {
    return (this.text(name) ?? "").split(",").filter((item) => item !== "");
  }

  /** A whole number of that range. */
  count(name: string, otherwise: number | undefined, max: number): number | KorbitError {
    const text = this.text(name);
    if (text === undefined) return otherwise ?? badRequest(name);
    const count = /^\d{1,16}$/.test(text) ? Number(text) : 0; // not money: a count
    return count < 1 || count > max ? badRequest(name) : count;
  }

  /** Unix milliseconds. */
  time(name: string, otherwise: number): number | KorbitError {
    return this.count(name, otherwise, Number.MAX_SAFE_INTEGER);
  }

  /** One of some words. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined | KorbitError {
    const text = this.text(name);
    return text === undefined ? undefined : (words.find((word) => word === text) ?? badRequest(name));
  }
}

export interface SentParameters {
  readonly ok: true;
  readonly parameters: Parameters;
  readonly signedText: string;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;.*)?$/i;

/** @param queryText without "?" */
export function readParameters(
  queryText: string,
  contentType: string | undefined,
  body: Buffer,
): SentParameters | KorbitError {
  if (body.length > 0 && !FORM_TYPE.test(contentType ?? ""))
    return refuse("BAD_REQUEST", "send the parameters as a form");
  const values = new Map<string, string>();
  let signedText = "";
  for (const sent of [queryText, body.toString("latin1")]) {
    const parts = sent === "" ? [] : sent.split("&");
    signedText += parts.filter((part) => !part.startsWith("signature=")).join("&");
    for (const part of parts) {
      const [name, value] = pairOf(part);
      if (name === undefined || value === undefined || values.has(name)) return badRequest(name ?? "a parameter");
      values.set(name, value);
    }
  }
  return { ok: true, parameters: new Parameters(values), signedText };
}

function pairOf(part: string): readonly [name: string | undefined, value: string | undefined] {
  const equals = part.indexOf("=");
  return equals < 0 ? [unescaped(part), ""] : [unescaped(part.slice(0, equals)), unescaped(part.slice(equals + 1))];
}

/** As forms are: a plus stands for a space, so that base64 has to be encoded. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
