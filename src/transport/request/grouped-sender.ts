/** Puts a sender together for an exchange that counts calls in groups: what all such clients need alike. */
import { defined, SANDBOX_HEADER } from "../../contract/index.ts";
import { BaseUrl } from "./base-url.ts";
import { systemClock } from "./clock-offset.ts";
import type { ClientListener } from "./event.ts";
import { GroupLane } from "./group-lane.ts";
import type { RateGroup } from "./group-row.ts";
import { LaneEntrance } from "./lane-entrance.ts";
import type { Lane, SharedBudgets, SteadyClock, Transport } from "./ports.ts";
import type { Redact } from "./redaction.ts";
import { RequestSender, type RequestSenderParts } from "./request-sender.ts";
import { UndiciTransport } from "./undici-transport.ts";
import type { AnswerListener } from "./venue-call.ts";

/** All in milliseconds. */
export interface SenderTimeouts {
  readonly connectMs: number;
  /** From the request to the headers of the answer. */
  readonly headersMs: number;
  /** Longest silence inside an answer's body. */
  readonly bodyMs: number;
  /** Bounds one request, connect to last byte. */
  readonly totalMs: number;
  /** A read over all its tries; also how long a write waits for its turn. */
  readonly deadlineMs: number;
}

export const SENDER_TIMEOUTS: SenderTimeouts = {
  connectMs: 3_000,
  headersMs: 10_000,
  bodyMs: 5_000,
  totalMs: 15_000,
  deadlineMs: 30_000,
};

const BODY_BYTES_MAX = 8 * 1024 * 1024;
const SANDBOX_ID = /^[\w-]{1,64}$/;

export interface SenderOptions {
  readonly environment: "sandbox" | "live";
  /** A function is called before every request, because an exchange of this machine may move. */
  readonly baseUrl: string | (() => Promise<string>);
  /** Default: a lane of this process. */
  readonly lane?: Lane;
  /** What processes share of its groups. Default: each counts by itself. */
  readonly budgets?: SharedBudgets;
  readonly clock?: SteadyClock;
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
  readonly timeouts?: Partial<SenderTimeouts>;
  readonly onEvent?: ClientListener;
  /** Must not throw. */
  readonly inspect?: AnswerListener;
  readonly redact?: Redact;
  /** Default: undici over real sockets. */
  readonly transport?: Transport;
}

type VenueParts = Pick<RequestSenderParts, "credentials" | "clockCall"> &
  Required<Pick<RequestSenderParts, "limitsIn">> & { readonly groups: readonly RateGroup[] };

/** @throws TypeError for a base URL that cannot be right */
export function groupedSender(options: SenderOptions, { groups, ...parts }: VenueParts): RequestSender {
  const timeouts = { ...SENDER_TIMEOUTS, ...options.timeouts };
  const { clock = systemClock, onEvent, inspect } = options;
  const emit: ClientListener = (event) => {
    try {
      onEvent?.(event);
    } catch {
      // A listener that throws must not hide what became of an order.
    }
  };
  return new RequestSender({
    ...parts,
    baseUrl: new BaseUrl(options.baseUrl),
    lane: new LaneEntrance(options.lane ?? new GroupLane(clock, groups, options.budgets), emit),
    clock,
    transport: options.transport ?? new UndiciTransport({ ...timeouts, bodyBytesMax: BODY_BYTES_MAX }),
    random: options.random ?? Math.random,
    emit,
    ...defined({ inspect }),
    redact: options.redact ?? ((value) => value),
    sandboxIdIn: (headers) => {
      const said = headers[SANDBOX_HEADER.toLowerCase()];
      return typeof said === "string" && SANDBOX_ID.test(said) ? said : undefined;
    },
    requestMs: timeouts.totalMs,
    deadlineMs: timeouts.deadlineMs,
  });
}
