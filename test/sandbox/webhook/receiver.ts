/** A partner's endpoint: it verifies with the convention's own library, and answers as a test says. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { WEBHOOK_DATA, type WebhookEvent, type WebhookType, webhookEnvelope } from "../../../src/contract/index.ts";

export interface Received {
  readonly id: string;
  /** Whether the signature is the secret's. */
  readonly authentic: boolean;
  readonly event: WebhookEvent;
  readonly path: string;
}

/** A status, or another way to end the request. */
export type Behaviour = number | "silent" | "reset" | { readonly status: number; readonly location: string };

export interface TestReceiver {
  readonly url: string;
  readonly secret: string;
  readonly received: Received[];
  /** How the requests from now on are answered, one each; the last stays. */
  behave(...behaviours: readonly Behaviour[]): void;
  types(): readonly WebhookType[];
  close(): Promise<void>;
}

export const RECEIVER_SECRET = `whsec_${Buffer.alloc(32, "what a partner was shown once ").toString("base64")}`;

export async function startReceiver({ secret = RECEIVER_SECRET, port = 0 } = {}): Promise<TestReceiver> {
  const received: Received[] = [];
  let planned: Behaviour[] = [200];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      received.push({
        id: String(request.headers["webhook-id"]),
        authentic: isAuthentic(secret, body, request.headers as Record<string, string>),
        event: strictly(body),
        path: request.url ?? "",
      });
      const [behaviour = 200] = planned;
      if (planned.length > 1) planned = planned.slice(1);
      act(response, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    received,
    behave: (...behaviours) => {
      planned = [...behaviours];
    },
    types: () => received.map(({ event }) => event.type),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isAuthentic(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

/** The body by the contract's schema; throws for anything more. */
function strictly(body: string): WebhookEvent {
  const envelope = webhookEnvelope.parse(JSON.parse(body));
  const data = WEBHOOK_DATA[envelope.type as WebhookType].parse(envelope.data);
  const event = { ...envelope, data } as WebhookEvent;
  if (JSON.stringify(event) !== body) throw new Error(`more than the contract has: ${body}`);
  return event;
}

function act(response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === "silent") return;
  if (behaviour === "reset") response.destroy();
  else if (typeof behaviour === "number") response.writeHead(behaviour).end("read by nobody");
  else response.writeHead(behaviour.status, { location: behaviour.location }).end();
}
