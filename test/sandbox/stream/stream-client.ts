/**
 * A client of the stream that shares no code with the sandbox or our own client: it sends what a test says, and keeps what it
 * receives until a test reads it.
 */
import { type ClientOptions, WebSocket } from "ws";
import type { Venue } from "../http/venue.ts";

export type Frame = Readonly<Record<string, unknown>> & { readonly seq?: number; readonly type?: string };

export interface Ended {
  readonly code: number;
  readonly reason: string;
}

const PATIENCE_MS = 10_000;

export class StreamClient {
  readonly frames: Frame[] = [];
  readonly ended: Promise<Ended>;
  readonly web: WebSocket;
  readonly #looking: (() => void)[] = [];
  #ids = 0;

  constructor(web: WebSocket) {
    this.web = web;
    this.ended = new Promise((resolve) => {
      web.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    web.on("message", (data) => {
      this.frames.push(JSON.parse((data as Buffer).toString("utf8")));
      for (const look of this.#looking.splice(0)) look();
    });
    web.on("error", () => undefined);
  }

  static async open(url: string, options: ClientOptions = {}): Promise<StreamClient> {
    const web = new WebSocket(url, { perMessageDeflate: false, ...options });
    const client = new StreamClient(web);
    await new Promise((resolve, reject) => {
      web.once("open", resolve);
      web.once("error", reject);
    });
    return client;
  }

  send(message: unknown): void {
    this.web.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Sends a message and waits for its ack. */
  async say(message: object): Promise<Frame> {
    this.#ids += 1;
    const id = `m${this.#ids}`;
    this.send({ id, ...message });
    return this.next((frame) => frame["op"] === "ack" && frame["id"] === id);
  }

  /** Waits for the first received frame that matches, and removes it. */
  async next(fits: (frame: Frame) => boolean): Promise<Frame> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const at = this.frames.findIndex(fits);
      const [found] = at < 0 ? [] : this.frames.splice(at, 1);
      if (found !== undefined) return found;
      if (Date.now() >= until) throw new Error(`nothing fits among ${JSON.stringify(this.frames)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, until - Date.now());
        this.#looking.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  event(channel: string): Promise<Frame> {
    return this.next((frame) => frame["channel"] === channel);
  }

  /** Subscribes and takes the snapshot. */
  async follow(channel: string, more: object = {}): Promise<Frame> {
    const ack = await this.say({ op: "subscribe", channel, ...more });
    if (ack["ok"] !== true) throw new Error(JSON.stringify(ack));
    return this.event(channel);
  }

  async close(): Promise<void> {
    this.web.close();
    await this.ended;
  }
}

/** Clients of a venue, which are closed with it. */
export function streamClients(): { open(venue: Venue): Promise<StreamClient>; close(): Promise<void> } {
  const clients: StreamClient[] = [];
  return {
    async open({ sandbox }) {
      const client = await StreamClient.open(sandbox.streamUrl);
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
}

export async function tokenOf(who: Venue["paper"]): Promise<string> {
  const { json } = await who.post("/v1/ws/token");
  return json.token;
}
