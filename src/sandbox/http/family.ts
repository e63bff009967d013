/**
 * The interface between HTTP and the API families. A family has its own paths, checks, form of answers and headers; reading
 * bodies, timeouts, waiting for the disk and malformed requests are the same for all (`server.ts`). Entry points: `Family`,
 * `requestHead`, `familyFor`, `respond`.
 *
 * Invariant: the path alone decides to which family a request belongs; the last family answers requests that belong to none.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Service } from "../service/service.ts";
import type { FamilyEffect, FamilyEffectKind } from "./family-effect.ts";
import { type Fault, unavailable } from "./outcome.ts";

/** Names in lower case; a header that was given several times is a list. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface RequestHead {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  readonly path: string;
  /** The query without "?"; empty when there is none. */
  readonly queryText: string;
  readonly headers: RequestHeaders;
  readonly address: string | undefined;
}

export interface Reply {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly text: string;
  /** Says so where that is known: such a text is cheaper to write. */
  readonly isAscii?: boolean;
}

export interface Answered {
  readonly reply: Reply;
  /** Present when the reply has to wait for the disk; sent instead of it when the disk fails. */
  readonly unsaved?: () => Reply;
  /** Sent instead of the reply once it resolves; if it rejects, that is a defect, and the reply is sent. */
  readonly later?: Promise<Reply>;
}

export interface Family {
  /** Tells whether a path, without query, belongs to the family. */
  serves(path: string): boolean;
  /** The checks before the body is read. @returns the refusal, if there is one */
  admit(head: RequestHead): Reply | undefined;
  /**
   * Answers the request. What it throws is a defect, and is answered as an outage.
   * @param effect one of its `effects`, that this request is to have
   */
  answer(head: RequestHead, body: Buffer, effect?: FamilyEffect): Answered;
  /** The effects that can be injected into its requests; none where absent. */
  readonly effects?: readonly FamilyEffectKind[];
  /** A fault of HTTP or of the exchange in the family's form. */
  refuse(refused: Fault): Reply;
  /**
   * Takes over a WebSocket connection that `admit` did not refuse, and handles the socket's errors from then on. Without it an
   * upgrade is an ordinary request.
   */
  upgrade?(head: RequestHead, request: IncomingMessage, socket: Duplex, early: Buffer): void;
  /** Ends the connections `upgrade` took over. */
  close?(): void;
}

/** @param target path and query as in the request line. */
export function requestHead(
  method: string,
  target: string,
  headers: RequestHeaders,
  address: string | undefined,
): RequestHead {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return { method, target, path, queryText: mark < 0 ? "" : target.slice(mark + 1), headers, address };
}

/** A header as one text; the values of a repeated header are joined, and then match nothing. */
export function headerOf(head: RequestHead, name: string): string | undefined {
  const header = head.headers[name];
  return Array.isArray(header) ? header.join(", ") : header;
}

/** @param families at least one; the last also answers requests that belong to none. */
export function familyFor(families: readonly Family[], path: string): Family {
  const family = families.find((each) => each.serves(path)) ?? families.at(-1);
  if (family === undefined) throw new Error("a front needs an API family");
  return family;
}

/** The family's answer. A defect is reported to the service, and answered as an outage. */
export function respond(
  service: Service,
  family: Family,
  head: RequestHead,
  body: Buffer,
  effect?: FamilyEffect,
): Answered {
  try {
    return family.answer(head, body, effect);
  } catch (error) {
    service.onDefect(error);
    return { reply: family.refuse(unavailable(service.journaled.failed === undefined ? 500 : 503)) };
  }
}
