/**
 * Owns sending a request to a hoga that runs elsewhere, and knowing whether it left. Entry point: `RemoteFetch`, the `fetch` of the
 * SDK's transport.
 *
 * Invariants:
 * - A request is written at most once. undici would queue it again where a connection closes under it; a second start is refused.
 * - `NotSentError` is thrown only where nothing of the request was written, and only then it is tried again, for a moment.
 * - No redirect is followed: the token is for this one address.
 * - Nothing is sent over TLS to who cannot show a certificate for the address, whatever the environment says.
 *
 * Source: architecture.md#rule-1, decision 0036.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher, fetch } from "undici";

const CONNECT_MS = 10_000;
/** A server that is started anew is back within this; nobody waits longer to hear that it is not. */
const RETRY_MS = 3_000;
const RETRY_EVERY_MS = 200;
/** Bounds a refusal; more of it is nothing that anybody should read. */
const REFUSAL_MAX = 64 * 1024;

/** Nothing of the request has left. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  /** Comes from the system, such as ECONNREFUSED. */
  readonly code: string;

  constructor(cause: unknown) {
    super("not sent", { cause });
    this.code = codeOf(cause);
  }
}

/** The server has answered, and not with success. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.text = text;
  }
}

/** A code of the innermost error that has one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason given";
  const inner = error.cause === undefined ? undefined : codeOf(error.cause);
  if (inner !== undefined && inner !== "no reason given") return inner;
  return "code" in error && typeof error.code === "string" ? error.code : "no reason given";
}

/** Tells whether the certificate, and not the way there, is the trouble. */
export function isCertificateProblem(code: string): boolean {
  return /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/.test(
    code,
  );
}

export class RemoteFetch {
  // Streams may be silent for as long as nothing happens, and a person may think for as long as they like.
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS, rejectUnauthorized: true },
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  /** @throws NotSentError, RefusedError; anything else means that the outcome is unknown */
  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    // A stream of notifications is opened again by whoever listens.
    const untilMs = performance.now() + (init.method === "GET" ? 0 : RETRY_MS);
    for (;;) {
      try {
        return await this.#once(url, init);
      } catch (error) {
        const isOver = performance.now() + RETRY_EVERY_MS > untilMs || init.signal?.aborted === true;
        if (!(error instanceof NotSentError) || isCertificateProblem(error.code) || isOver) throw error;
      }
      await pause(RETRY_EVERY_MS);
    }
  }

  /** Breaks off what still runs. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #once(url: string | URL, init: RequestInit): Promise<Response> {
    let starts = 0;
    const dispatcher = this.#agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(
          options,
          startingOnce(handler, () => {
            starts += 1;
            return starts === 1;
          }),
        ),
    );
    const response = await fetch(url, { ...init, dispatcher, redirect: "manual" } as Parameters<typeof fetch>[1]).catch(
      (error: unknown) => {
        throw starts === 0 ? new NotSentError(error) : error;
      },
    );
    if (!response.ok && !(init.method === "GET" && response.status === 405))
      throw new RefusedError(response.status, await beginning(response.body));
    return response as unknown as Response;
  }
}

/** @param starts called right before the first byte is written; false refuses */
function startingOnce(handler: Dispatcher.DispatchHandler, starts: () => boolean): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      if (starts()) handler.onRequestStart?.(controller, context);
      else controller.abort(new Error("a second time"));
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}

async function beginning(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body ?? []) {
      parts.push(part);
      size += part.length;
      if (size > REFUSAL_MAX) break;
    }
  } catch {
    // Its status says enough.
  }
  return Buffer.concat(parts).toString("utf8", 0, REFUSAL_MAX);
}
