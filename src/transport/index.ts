/** A request that is sent at most once, whatever the venue: turns, deadlines, retries of reads, HTTP, the venue's clock; and a socket that comes back. */
export { type Address, BaseUrl } from "./request/base-url.ts";
export type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "./request/call-options.ts";
export { systemClock } from "./request/clock-offset.ts";
export type { ClientEvent, ClientListener } from "./request/event.ts";
export { GroupLane } from "./request/group-lane.ts";
export type { RateGroup } from "./request/group-row.ts";
export { groupedSender, SENDER_TIMEOUTS, type SenderOptions, type SenderTimeouts } from "./request/grouped-sender.ts";
export { readJsonAnswer, unreadableAnswer } from "./request/json-answer.ts";
export { LaneEntrance } from "./request/lane-entrance.ts";
export { type LimitsIn, leftIn, pausesIn, retryAfterMs } from "./request/limit-news.ts";
export { LocalLane } from "./request/local-lane.ts";
export type {
  Charge,
  ClientClock,
  Lane,
  LaneDeadline,
  LanePass,
  LaneRequest,
  LimitNews,
  SharedBudgets,
  SteadyClock,
  Transport,
  WireOutcome,
  WireRequest,
} from "./request/ports.ts";
export { keyName, type Redact } from "./request/redaction.ts";
export { RequestSender, type RequestSenderParts } from "./request/request-sender.ts";
export { UndiciTransport } from "./request/undici-transport.ts";
export { USER_AGENT } from "./request/user-agent.ts";
export type { AnswerListener, RequestParts, Signer, SigningKey, VenueCall } from "./request/venue-call.ts";
export { venueField, venueText, venueUrl } from "./request/venue-text.ts";
export { backOffMs } from "./socket/back-off.ts";
export type { ExchangeTime, StreamNotice, StreamState, TopicPulse } from "./socket/notice.ts";
export { Pacer } from "./socket/pacer.ts";
export type { SocketEvents, SocketFactory, SocketOptions, StreamSocket } from "./socket/ports.ts";
export { webSocket } from "./socket/web-socket.ts";
