/**
 * Owns the events of one session that its client may have missed, so that a stream whose connection was lost goes on where it broke off.
 *
 * Invariants: what is kept is bounded in number and bytes, oldest first out; of the changes of one resource only the last is kept, as
 * it says all that those before it said; an answer that is no longer kept is remembered for as long, so that its client is told so.
 *
 * Source: decision 0034.
 */
import type { EventStore, JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";

/** Bounds those of one session. */
const EVENTS_MAX = 512;
const BYTES_MAX = 512 * 1024;
/** Remembered longer than their events, so that a client is told that its answer is no longer kept. */
const STREAMS_MAX = 4 * EVENTS_MAX;

/** Says what a client may ask to go on with. */
export type Place =
  | { readonly at: "open" }
  /** There is nothing after it, and nothing comes. */
  | { readonly at: "end" }
  /** The answer to this request came after it, as this event, and is no longer kept. */
  | { readonly at: "lost"; readonly id: RequestId; readonly eventId: string }
  | { readonly at: "unknown" };

interface Kept {
  readonly streamId: string;
  readonly json: string;
  readonly bytes: number;
  /** Names the request that it answers. */
  readonly answers: RequestId | undefined;
  /** The resource of whose change it tells. */
  readonly changed: string | undefined;
}

/** Belongs to a request; that of notifications has no end. */
interface Stream {
  /** The number of its last event. */
  endsWith?: number;
  /** Names the request whose answer, its last event, is no longer kept. */
  lost?: RequestId;
}

export class SessionEvents implements EventStore {
  /** The stream of what answers no request. */
  readonly #notifications: string;
  #number = 0;
  #bytes = 0;
  /** Keyed by number. */
  readonly #kept = new Map<number, Kept>();
  /** The last of each resource: a client watches few. */
  readonly #changes = new Map<string, number>();
  readonly #streams = new Map<string, Stream>();
  readonly #lasts = new WeakMap<object, "kept" | "dropped">();

  constructor(notifications: string) {
    this.#notifications = notifications;
  }

  /** Its stream ends with this message, which is about to be sent, or where it is dropped, is not. */
  endsWith(message: JSONRPCMessage, how: "kept" | "dropped"): void {
    this.#lasts.set(message, how);
  }

  /** @returns the id of a place in the stream of notifications, from which it can be opened again */
  place(): string {
    return this.#next(this.#notifications).eventId;
  }

  find(eventId: string): Place {
    const { number, streamId } = parsed(eventId);
    if (streamId === this.#notifications) return { at: "open" };
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return { at: "unknown" };
    const { endsWith, lost } = stream;
    if (endsWith !== undefined && number >= endsWith) return { at: "end" };
    if (endsWith === undefined || lost === undefined) return { at: "open" };
    return { at: "lost", id: lost, eventId: idOf(endsWith, streamId) };
  }

  /** The request that it answers; undefined where it answers none, or is not kept. */
  answeredBy(eventId: string): RequestId | undefined {
    const { number, streamId } = parsed(eventId);
    const kept = this.#kept.get(number);
    return kept?.streamId === streamId ? kept.answers : undefined;
  }

  /** Tells whether it is a place in the stream of notifications. */
  isOfNotifications(eventId: string): boolean {
    return parsed(eventId).streamId === this.#notifications;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const { number, eventId } = this.#next(streamId);
    const stream = this.#streamOf(streamId);
    const last = this.#lasts.get(message);
    if (last === "dropped") stream.endsWith = 0;
    else if (last === "kept") stream.endsWith = number;
    // The SDK begins a stream with an event that says nothing.
    if (last !== "dropped" && Object.keys(message).length > 0) this.#keep(number, streamId, message);
    return eventId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { number: last, streamId } = parsed(lastEventId);
    const missed = [...this.#kept].filter(([number, kept]) => number > last && kept.streamId === streamId);
    for (const [number, { json }] of missed) await send(idOf(number, streamId), JSON.parse(json) as JSONRPCMessage);
    return streamId;
  }

  #next(streamId: string): { readonly number: number; readonly eventId: string } {
    this.#number += 1;
    return { number: this.#number, eventId: idOf(this.#number, streamId) };
  }

  #streamOf(streamId: string): Stream {
    const known = this.#streams.get(streamId);
    if (known !== undefined) return known;
    const stream: Stream = {};
    this.#streams.set(streamId, stream);
    if (this.#streams.size > STREAMS_MAX) {
      const [oldest = ""] = this.#streams.keys();
      this.#streams.delete(oldest);
    }
    return stream;
  }

  #keep(number: number, streamId: string, message: JSONRPCMessage): void {
    const changed = changedResource(message);
    if (changed !== undefined) {
      this.#drop(this.#changes.get(changed));
      this.#changes.set(changed, number);
    }
    const json = JSON.stringify(message);
    const bytes = Buffer.byteLength(json);
    this.#kept.set(number, { streamId, json, bytes, answers: "method" in message ? undefined : message.id, changed });
    this.#bytes += bytes;
    // One that is too large for all of the room takes no other's.
    if (bytes > BYTES_MAX) this.#lose(number);
    while (this.#kept.size > EVENTS_MAX || this.#bytes > BYTES_MAX) this.#lose(this.#kept.keys().next().value);
  }

  #lose(number: number | undefined): void {
    const kept = this.#drop(number);
    if (kept === undefined) return;
    const { streamId, answers, changed } = kept;
    const stream = this.#streams.get(streamId);
    if (stream !== undefined && stream.endsWith === number && answers !== undefined) stream.lost = answers;
    if (changed !== undefined) this.#changes.delete(changed);
  }

  #drop(number: number | undefined): Kept | undefined {
    const kept = number === undefined ? undefined : this.#kept.get(number);
    if (number === undefined || kept === undefined) return undefined;
    this.#kept.delete(number);
    this.#bytes -= kept.bytes;
    return kept;
  }
}

function idOf(number: number, streamId: string): string {
  return `${number}_${streamId}`;
}

function parsed(eventId: string): { readonly number: number; readonly streamId: string } {
  const [, number = "", streamId = ""] = /^(\d{1,15})_(.+)$/.exec(eventId) ?? [];
  return { number: Number(number), streamId };
}

function changedResource(message: JSONRPCMessage): string | undefined {
  if (!("method" in message) || message.method !== "notifications/resources/updated") return undefined;
  const uri = message.params?.["uri"];
  return typeof uri === "string" ? uri : undefined;
}
