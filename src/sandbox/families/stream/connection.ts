/**
 * A client's connection to the stream: its messages and their limits, its subscriptions, and what is written to it. Entry point:
 * `Connection`.
 *
 * Frames for many subscribers are written to the socket directly, as `ws` would encode each of them again. The two do not
 * interfere, as there is no compression and nothing is written once the connection is closing.
 *
 * Invariants: every message is answered with one ack, in order, or ends the connection; a private channel shows the account of the
 * token alone, while the token's key may read it from this address; the number of unread bytes is bounded.
 * Source: service.md#stream-messages, service.md#stream-subscriptions, service.md#stream-limits, service.md#stream-token.
 */
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import { isPublicChannel, STREAM_CLOSE, STREAM_LIMITS, type StreamSubscription } from "../../../contract/index.ts";
import { checkAddress } from "../../access/authentication.ts";
import { badArgument, type Fault, fault, unavailable, unknownPair } from "../../http/outcome.ts";
import type { Service } from "../../service/service.ts";
import { ackFrame, type ClientMessage, type MessageId, NOT_JSON, readMessage } from "./client-message.ts";
import type { Hub } from "./hub.ts";
import type { KeyConnections } from "./key-connections.ts";
import { MessageRate } from "./message-rate.ts";
import type { Subscriber, Subscription, Topic } from "./topic.ts";

export interface ConnectionParts {
  readonly service: Service;
  readonly hub: Hub;
  readonly keyConnections: KeyConnections<Connection>;
  readonly socket: Duplex;
  readonly address: string | undefined;
}

export const TOO_LONG = `a message has at most ${STREAM_LIMITS.messageBytesMax} bytes`;
/** The connection ends after as many refused messages in a row as are permitted in this many seconds. */
const REFUSED_SECONDS_MAX = 5;
/** Bounds how long a client has to answer our close frame; a slow one gets longer, to read the reason. */
const CLOSE_MS = 1000;
const SLOW_CLOSE_MS = 5000;

export class Connection implements Subscriber {
  readonly #web: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #rate: MessageRate;
  readonly #subscriptions = new Map<string, Subscription>();
  #isClosing = false;
  /** Remembers whether anything arrived since the last ping. */
  #isAlive = true;
  /** Messages in a row that are not JSON. */
  #unreadable = 0;

  constructor(web: WebSocket, parts: ConnectionParts, onEnd: () => void) {
    this.#web = web;
    this.#parts = parts;
    this.#rate = new MessageRate(parts.service.limits.streamMessagesPerSecond);
    web.on("message", (data, isBinary) => this.#receive(data, isBinary));
    web.on("pong", () => {
      this.#isAlive = true;
    });
    // A malformed frame ends the connection; `ws` has sent the close frame already.
    web.on("error", () => this.#release());
    web.on("close", () => {
      this.#release();
      onEnd();
    });
  }

  write(frame: Buffer): void {
    if (this.#isClosing || this.#web.readyState !== WebSocket.OPEN) return;
    const { socket, service } = this.#parts;
    if (socket.writableLength > service.limits.streamUnreadBytesMax) {
      this.close(STREAM_CLOSE.tooSlow, "too slow: too much was left unread; read faster or subscribe to less");
      return;
    }
    socket.write(frame);
  }

  /** Sends a ping, and terminates the connection when nothing arrived since the last one. */
  probe(): void {
    if (!this.#isAlive) {
      this.#web.terminate();
      return;
    }
    this.#isAlive = false;
    if (!this.#isClosing) this.#web.ping();
  }

  /** Sends a close frame, and terminates the connection when it is not answered in time. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#release();
    this.#web.close(code, reason);
    const graceMs = code === STREAM_CLOSE.tooSlow ? SLOW_CLOSE_MS : CLOSE_MS;
    const cut = setTimeout(() => this.#web.terminate(), graceMs);
    cut.unref();
    this.#web.once("close", () => clearTimeout(cut));
  }

  /** Called when the connection's key changed: closes the connection if the key may not read its account any more. */
  recheckKey(keyId: string): void {
    const refused = this.#refusalOf(keyId);
    if (refused !== undefined) this.close(STREAM_CLOSE.keyWithdrawn, `${refused.code}: ${refused.message}`);
  }

  #release(): void {
    this.#isClosing = true;
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
    this.#parts.keyConnections.remove(this);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return;
    this.#isAlive = true;
    // A Buffer, as `binaryType` is Node's default.
    const bytes = data as Buffer;
    if (isBinary) this.close(STREAM_CLOSE.notText, "send JSON as text");
    else if (bytes.length > STREAM_LIMITS.messageBytesMax) this.close(STREAM_CLOSE.messageTooLong, TOO_LONG);
    else this.#answer(bytes.toString("utf8"));
  }

  #answer(text: string): void {
    const { service, hub } = this.#parts;
    const received = readMessage(text);
    this.#unreadable = received === NOT_JSON ? this.#unreadable + 1 : 0;
    if (this.#unreadable > STREAM_LIMITS.unreadableInARowMax) {
      this.close(STREAM_CLOSE.notJson, "a message is a JSON object");
      return;
    }
    const waitMs = this.#rate.enter(service.now());
    if (this.#rate.refused > REFUSED_SECONDS_MAX * service.limits.streamMessagesPerSecond) {
      this.close(STREAM_CLOSE.tooManyMessages, "too many messages a second");
      return;
    }
    const refused = waitMs === undefined ? this.#carryOut(received) : tooFast(waitMs);
    if (refused !== undefined) hub.queue.push(() => this.write(ackFrame(received.id, refused)));
  }

  /** Does as `#handle`; what it throws, such as for a damaged archive, is a defect and answered as an outage. */
  #carryOut(received: ClientMessage): Fault | undefined {
    try {
      return this.#handle(received);
    } catch (error) {
      this.#parts.service.onDefect(error);
      return unavailable(500);
    }
  }

  /** @returns why the message is refused; a message that is not refused has been acknowledged */
  #handle(received: ClientMessage): Fault | undefined {
    if (!received.ok) return received.refused;
    const { id, message } = received;
    switch (message.op) {
      case "ping":
        return this.#acknowledge(id);
      case "unsubscribe":
        return this.#unsubscribe(id, message);
      case "subscribe":
        return this.#subscribe(id, message);
      default:
        return message satisfies never;
    }
  }

  #acknowledge(id: MessageId): undefined {
    const frame = ackFrame(id);
    this.#parts.hub.queue.push(() => this.write(frame));
  }

  #unsubscribe(id: MessageId, { channel, symbol: written }: StreamSubscription): Fault | undefined {
    const symbol = this.#symbolOf(written);
    if (symbol === undefined) return unknownPair(written ?? "");
    const name = nameOf(channel, symbol);
    const subscription = this.#subscriptions.get(name);
    if (subscription === undefined) return badArgument("channel", "there is no such subscription on this connection");
    subscription.end();
    this.#subscriptions.delete(name);
    return this.#acknowledge(id);
  }

  #subscribe(id: MessageId, message: StreamSubscription): Fault | undefined {
    const { service } = this.#parts;
    const symbol = this.#symbolOf(message.symbol);
    if (symbol === undefined) return unknownPair(message.symbol ?? "");
    const name = nameOf(message.channel, symbol);
    const before = this.#subscriptions.get(name);
    const max = service.limits.streamSubscriptionsMax;
    if (before === undefined && this.#subscriptions.size >= max)
      return fault("EAPI:Rate limit exceeded", `a connection has at most ${max} subscriptions: open another`);
    const topic = this.#topicOf(message, symbol);
    if ("ok" in topic) return topic;
    before?.end();
    this.#subscriptions.set(name, topic.subscribe(this, ackFrame(id), service.now()));
    return undefined;
  }

  /** null when no market is named; undefined when there is no such market. */
  #symbolOf(written: string | undefined): string | null | undefined {
    return written === undefined ? null : this.#parts.service.markets.symbolOf(written);
  }

  #topicOf({ channel, depth, token }: StreamSubscription, symbol: string | null): Topic | Fault {
    const { hub } = this.#parts;
    if (!isPublicChannel(channel)) {
      const account = this.#accountOf(token ?? "");
      return typeof account === "string" ? hub.account(account).topic(channel, symbol) : account;
    }
    const market = hub.market(symbol ?? "");
    switch (channel) {
      case "orderbook":
        return market.books.topic(depth ?? STREAM_LIMITS.bookDepthMax);
      case "trades":
        return market.trades;
      case "ticker":
        return market.ticker;
      default:
        return channel satisfies never;
    }
  }

  /** The account whose private channels the token opens, if this connection may use the token. */
  #accountOf(token: string): string | Fault {
    const { service, keyConnections } = this.#parts;
    const holder = service.tokens.holder(token, this, service.now());
    if (holder === undefined)
      return badArgument(
        "token",
        "it is unknown, has run out, or is another connection's: get one from POST /v1/ws/token",
      );
    const refused = this.#refusalOf(holder.keyId);
    if (refused !== undefined) return refused;
    const max = service.limits.streamConnectionsPerKey;
    if (!keyConnections.add(holder.keyId, this))
      return fault("EAPI:Rate limit exceeded", `a key has at most ${max} connections, and a connection one key`);
    return holder.accountId;
  }

  /** Why a key may not read its account from this address: the checks of every private call, without signature and nonce. */
  #refusalOf(keyId: string): Fault | undefined {
    const { service, address } = this.#parts;
    const key = service.exchange.key(keyId);
    if (key === undefined) return fault("EAPI:Invalid key", "the key of this token was revoked");
    const refused = checkAddress(service, keyId, address);
    if (refused !== undefined || key.permissions.includes("query")) return refused;
    return fault("EGeneral:Permission denied", 'this key lacks the permission "query"');
  }
}

function nameOf(channel: string, symbol: string | null): string {
  return `${channel} ${symbol ?? ""}`;
}

function tooFast(waitMs: number): Fault {
  return { ...fault("EAPI:Rate limit exceeded", `wait ${waitMs} ms before the next message`), retryAfterMs: waitMs };
}
