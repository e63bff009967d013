/**
 * One client of the stream: its messages, within their limits, its subscriptions, and what is written to it.
 *
 * Frames that many share are written to the socket itself, not through `ws`, which would make each anew. The two do not get into
 * each other's way, as there is no compression and nothing is written once the connection is closing.
 *
 * Invariants: every message is answered with one ack, in their order, or ends the connection; a private channel is only ever the
 * one of the token's account, as long as the token's key may read it from here; what is unread is bounded.
 */
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import { isPublicChannel, STREAM_CLOSE, STREAM_LIMITS, type StreamSubscription } from "../../contract/index.ts";
import { checkAddress } from "../access/authentication.ts";
import { badArgument, type Fault, fault, unknownPair } from "../http/outcome.ts";
import type { Service } from "../service/service.ts";
import { ackFrame, type MessageId, readMessage } from "./client-message.ts";
import type { Hub } from "./hub.ts";
import type { KeyConnections } from "./key-connections.ts";
import { MessageRate } from "./message-rate.ts";
import type { Follower, Following, Topic } from "./topic.ts";

export interface ConnectionParts {
  readonly service: Service;
  readonly hub: Hub;
  readonly seats: KeyConnections<Connection>;
  readonly socket: Duplex;
  readonly address: string | undefined;
}

export const TOO_LONG = `a message has at most ${STREAM_LIMITS.messageBytesMax} bytes`;
/** Messages too many in a row, in multiples of what a second may hold. */
const PATIENCE = 5;
/** For the answer to our close frame; one that is slow gets longer to read why. */
const CLOSE_MS = 1000;
const SLOW_CLOSE_MS = 5000;

export class Connection implements Follower {
  readonly #web: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #rate: MessageRate;
  readonly #subscriptions = new Map<string, Following>();
  #isClosing = false;
  /** Something came since the last question whether anybody is there. */
  #isAlive = true;

  constructor(web: WebSocket, parts: ConnectionParts, onEnd: () => void) {
    this.#web = web;
    this.#parts = parts;
    this.#rate = new MessageRate(parts.service.limits.streamMessagesPerSecond);
    web.on("message", (data, isBinary) => this.#hear(data, isBinary));
    web.on("pong", () => {
      this.#isAlive = true;
    });
    // What is malformed ends the connection; `ws` has sent the close frame by then.
    web.on("error", () => this.#leave());
    web.on("close", () => {
      this.#leave();
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

  /** Asks whether anybody is there, and cuts the connection when the last question was not answered. */
  probe(): void {
    if (!this.#isAlive) {
      this.#web.terminate();
      return;
    }
    this.#isAlive = false;
    if (!this.#isClosing) this.#web.ping();
  }

  /** Says why, and cuts the connection when that is not answered soon. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#leave();
    this.#web.close(code, reason);
    const graceMs = code === STREAM_CLOSE.tooSlow ? SLOW_CLOSE_MS : CLOSE_MS;
    const cut = setTimeout(() => this.#web.terminate(), graceMs);
    cut.unref();
    this.#web.once("close", () => clearTimeout(cut));
  }

  /** The key it sits on changed: it ends where the key could not open it any more. */
  reconsider(keyId: string): void {
    const refused = this.#refusalOf(keyId);
    if (refused !== undefined) this.close(STREAM_CLOSE.keyWithdrawn, `${refused.code}: ${refused.message}`);
  }

  #leave(): void {
    this.#isClosing = true;
    for (const following of this.#subscriptions.values()) following.end();
    this.#subscriptions.clear();
    this.#parts.seats.leave(this);
  }

  #hear(data: RawData, isBinary: boolean): void {
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
    const said = readMessage(text);
    if (said === undefined) {
      this.close(STREAM_CLOSE.notJson, "a message is a JSON object");
      return;
    }
    const waitMs = this.#rate.enter(service.now());
    if (this.#rate.refused > PATIENCE * service.limits.streamMessagesPerSecond) {
      this.close(STREAM_CLOSE.tooManyMessages, "too many messages a second");
      return;
    }
    const refused = waitMs === undefined ? this.#take(said) : tooFast(waitMs);
    if (refused !== undefined) hub.outbox.push(() => this.write(ackFrame(said.id, refused)));
  }

  /** @returns why it is refused; what is not, has been acknowledged */
  #take(said: NonNullable<ReturnType<typeof readMessage>>): Fault | undefined {
    if (!said.ok) return said.refused;
    const { id, message } = said;
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
    this.#parts.hub.outbox.push(() => this.write(frame));
  }

  #unsubscribe(id: MessageId, { channel, symbol: written }: StreamSubscription): Fault | undefined {
    const symbol = this.#symbolOf(written);
    if (symbol === undefined) return unknownPair(written ?? "");
    const name = nameOf(channel, symbol);
    const following = this.#subscriptions.get(name);
    if (following === undefined) return badArgument("channel", "there is no such subscription on this connection");
    following.end();
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
    this.#subscriptions.set(name, topic.follow(this, ackFrame(id), service.now()));
    return undefined;
  }

  /** Null where none is named; undefined where there is no such market. */
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
        return market.books.view(depth ?? STREAM_LIMITS.bookDepthMax);
      case "trades":
        return market.trades;
      case "ticker":
        return market.ticker;
      default:
        return channel satisfies never;
    }
  }

  /** The account whose private channels the token opens, if it is this connection's to use. */
  #accountOf(token: string): string | Fault {
    const { service, seats } = this.#parts;
    const holder = service.tokens.holder(token, this, service.now());
    if (holder === undefined)
      return badArgument(
        "token",
        "it is unknown, has run out, or is another connection's: get one from POST /v1/ws/token",
      );
    const refused = this.#refusalOf(holder.keyId);
    if (refused !== undefined) return refused;
    const max = service.limits.streamConnectionsPerKey;
    if (!seats.take(holder.keyId, this))
      return fault("EAPI:Rate limit exceeded", `a key has at most ${max} connections, and a connection one key`);
    return holder.accountId;
  }

  /** Why a key may not follow its account from here: the checks of every private call, but those the token stands for. */
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
