/**
 * Owns the seam between HTTP and the API families it carries: each family has its own paths, checks, form of answers and
 * headers; reading bodies, time limits, waiting for the disk and garbage on the wire are the same for all (`server.ts`).
 * Entry points: `Family`, `requestHead`, `familyFor`, `respond`.
 *
 * Invariant: a request belongs to one family by its path alone; what belongs to none is answered by the last in the list.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Service } from "../service/service.ts";
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
}

export interface Answered {
  readonly reply: Reply;
  /** Present when the exchange changed: the reply waits until that is on disk, and this one goes out if it cannot be. */
  readonly unsaved?: () => Reply;
  /** Goes out in place of the reply, where making it takes a while; a failure of it is a defect, and the reply goes out. */
  readonly later?: Promise<Reply>;
}

export interface Family {
  /** Whether a path (without query) is one of the family's. */
  serves(path: string): boolean;
  /** The checks that come before anything else of the request is looked at. @returns the refusal, if it is one */
  admit(head: RequestHead): Reply | undefined;
  /** Everything else. What it throws is a defect, and is answered as an outage. */
  answer(head: RequestHead, body: Buffer): Answered;
  /** The family's form for what HTTP or the exchange cannot do. */
  refuse(refused: Fault): Reply;
  /**
   * Takes a WebSocket connection over once `admit` let it pass; the socket's errors are the family's from then on. Without it
   * an upgrade is an ordinary request.
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

/** A header as one text; one that is given twice is joined, and then fits nothing. */
export function headerOf(head: RequestHead, name: string): string | undefined {
  const header = head.headers[name];
  return Array.isArray(header) ? header.join(", ") : header;
}

/** @param families at least one; the last also answers what none serves. */
export function familyFor(families: readonly Family[], path: string): Family {
  const family = families.find((each) => each.serves(path)) ?? families.at(-1);
  if (family === undefined) throw new Error("a front needs an API family");
  return family;
}

/** The family's answer. A defect is told to the service's listener, and to the caller as an outage. */
export function respond(service: Service, family: Family, head: RequestHead, body: Buffer): Answered {
  try {
    return family.answer(head, body);
  } catch (error) {
    service.onDefect(error);
    return { reply: family.refuse(unavailable(service.journaled.failed === undefined ? 500 : 503)) };
  }
}
