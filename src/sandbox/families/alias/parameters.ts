/**
 * Reads the parameters of an alias call: those of query and form as one list, the text that is signed, and the envelope
 * (`timestamp`, `recvWindow`, `signature`) apart from the rest. Entry point: `readParameters`.
 *
 * Invariant: a parameter occurs once in query and form together. Query and form are signed without a separator, so one signature
 * is valid for several ways to divide the text between them; as no name may be unknown, empty or repeated, all valid divisions
 * mean the same. Source: service.md#alias-signing.
 */
import { decoded } from "../../http/query-string.ts";
import { type AliasFault, problem } from "./alias-outcome.ts";

export interface SentParameters {
  readonly ok: true;
  /** Decoded, without the envelope. */
  readonly values: Readonly<Record<string, string>>;
  readonly envelope: Readonly<Partial<Record<EnvelopeField, string>>>;
  /** Query and form as sent, without the signature; bytes as latin1. */
  readonly signedText: string;
}

const ENVELOPE = ["timestamp", "recvWindow", "signature"] as const;
type EnvelopeField = (typeof ENVELOPE)[number];

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;.*)?$/i;

export interface SentText {
  readonly method: string;
  readonly queryText: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** @param signed whether the call has an envelope; without one the envelope's names are ordinary parameters */
export function readParameters(sent: SentText, signed: boolean): SentParameters | AliasFault {
  const { method, queryText, contentType, body } = sent;
  if (body.length > 0 && (method === "GET" || !FORM_TYPE.test(contentType ?? "")))
    return problem("illegalCharacters", "body", method === "GET" ? "" : "application/x-www-form-urlencoded");
  const [query, form] = [partsOf(queryText), partsOf(body.toString("latin1"))];
  // Without a prototype, so that `__proto__` is a name like any other and refused as unknown.
  const values: Record<string, string> = Object.create(null);
  const envelope: Partial<Record<EnvelopeField, string>> = {};
  for (const part of [...query, ...form]) {
    const equals = part.indexOf("=");
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    const value = decoded(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || name === "" || value === undefined) return unreadable(name);
    const target: Record<string, string> = signed && isEnvelope(name) ? envelope : values;
    if (name in target) return problem("duplicateParameter");
    target[name] = value;
  }
  return { ok: true, values, envelope, signedText: unsigned(query) + unsigned(form) };
}

function partsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("&");
}

function unsigned(parts: readonly string[]): string {
  return parts.filter((part) => !part.startsWith("signature=")).join("&");
}

function isEnvelope(name: string): name is EnvelopeField {
  return ENVELOPE.some((field) => field === name);
}

function unreadable(name: string | undefined): AliasFault {
  return problem("illegalCharacters", name === undefined || name === "" ? "query" : name, "percent-encoded UTF-8");
}
