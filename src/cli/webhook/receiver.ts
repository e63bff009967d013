/**
 * Owns the HTTP side of receiving webhooks: a delivery is verified, kept, and answered at once; nothing else happens before the
 * answer. Entry point: `receiveWebhooks`.
 *
 * Invariants: 2xx means that the event is on disk, or was before; what is not authentic is not kept; a body is bounded in size
 * and time, and so are connections; an answer carries nothing but its status.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Result, WEBHOOK_DELIVERY } from "../../contract/index.ts";
import { listenError, readBody } from "../../serve/index.ts";
import type { AuthenticWebhook, WebhookDelivery } from "../../venues/index.ts";

export interface ReceiverParts {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly authenticate: (delivery: WebhookDelivery) => Result<AuthenticWebhook>;
  /** Resolves once it is on disk. Where it throws, the answer is 503, so that the delivery is repeated. */
  readonly keep: (webhook: AuthenticWebhook) => Promise<void>;
  /** Called where a webhook could not be kept. */
  readonly onError: (error: unknown) => void;
  /** Called with a sentence on each delivery that was refused. */
  readonly onRefused: (message: string) => void;
  /** Time for a whole body to arrive. Default: as long as a sender waits for the answer. */
  readonly bodyMs?: number;
}

export interface Receiver {
  readonly url: string;
  /** Takes no more deliveries, and finishes the answers under way. */
  close(): Promise<void>;
}

const HEADERS_MS = 5_000;
const CONNECTIONS_MAX = 256;
const TIMEOUT_CHECK_MS = 1_000;

/** @throws ServeError when the port cannot be opened. */
export async function receiveWebhooks(parts: ReceiverParts): Promise<Receiver> {
  const { host, port, onError, bodyMs = WEBHOOK_DELIVERY.answerMs } = parts;
  const settings = {
    headersTimeout: HEADERS_MS,
    requestTimeout: HEADERS_MS + bodyMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  };
  const server = createServer(settings, (request, response) => {
    take({ ...parts, bodyMs }, request, response).catch((error: unknown) => {
      onError(error);
      answer(response, 503);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(host, port, error)));
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  const [name, at] = typeof bound === "object" && bound !== null ? [bound.address, bound.port] : [host, port];
  return {
    url: `http://${name.includes(":") ? `[${name}]` : name}:${at}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), bodyMs).unref();
      }),
  };
}

type TakingParts = ReceiverParts & { readonly bodyMs: number };

async function take(parts: TakingParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    request.resume();
    return answer(response, 405, { Allow: "POST" });
  }
  const body = await readBody(request, { bodyBytesMax: WEBHOOK_DELIVERY.bodyBytesMax, bodyMs: parts.bodyMs });
  if (!body.ok) {
    parts.onRefused(`A delivery was refused: ${body.message}.`);
    return answer(response, body.status, { Connection: "close" });
  }
  const authentic = parts.authenticate({ headers: request.headers, body: body.text });
  if (!authentic.ok) {
    parts.onRefused(`A delivery was refused. ${authentic.fault.message}`);
    return answer(response, 401);
  }
  await parts.keep(authentic.value);
  return answer(response, 204);
}

function answer(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers).end();
}
