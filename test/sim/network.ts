/**
 * What lies between the processes and the venue: requests and answers take their time, and the plan says which get lost, late,
 * doubled or garbled. A process that dies leaves its requests on the way.
 */
import type { Transport, WireOutcome, WireRequest } from "../../src/transport/request/ports.ts";
import type { Draw } from "./draw.ts";
import type { FaultKind, Trouble } from "./plan.ts";
import { never, type SimProcess } from "./process.ts";
import type { Trace } from "./trace.ts";
import type { SimVenue } from "./venue.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { type Reading, type RequestKind, readingOf, type Wire, type WireAnswer, type WireCall } from "./wire.ts";

/** A request that left a process. */
export interface Departure extends Reading {
  readonly atMs: number;
  readonly process: string;
  /** Empty for a public call. */
  readonly keyId: string;
  readonly body: string;
}

export interface NetworkParts {
  readonly wire: Wire;
  readonly time: VirtualTime;
  readonly venue: SimVenue;
  readonly draw: Draw;
  readonly latencyMs: number;
  readonly startMs: number;
  readonly troubles: readonly Trouble[];
  readonly left: (departure: Departure) => void;
  readonly trace: Trace | undefined;
}

interface Fault {
  readonly kind: FaultKind;
  readonly ms: number;
}

type Outage = Extract<Trouble, { readonly type: "outage" }>;

/** One request on its way, as the network handles it. */
interface Passage {
  readonly call: WireCall;
  readonly ms: number;
  /** Ends the sender's wait, if it still waits. */
  readonly settle: (outcome: WireOutcome) => void;
}

export class Network {
  readonly injected = new Map<FaultKind, number>();
  /** Requests that have left and will still reach the venue. */
  underWay = 0;
  readonly #parts: NetworkParts;
  readonly #faults = new Map<string, Fault>();
  readonly #sent = new Map<RequestKind, number>();
  #outages: readonly Outage[];

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    for (const trouble of parts.troubles)
      if (trouble.type === "fault")
        for (let again = 0; again < trouble.times; again++)
          this.#faults.set(`${trouble.endpoint} ${trouble.nth + again}`, trouble);
    this.#outages = parts.troubles.filter((trouble) => trouble.type === "outage");
  }

  /** From here on every request passes; what is late stays late. */
  heal(): void {
    this.#faults.clear();
    this.#outages = [];
  }

  transportOf(process: SimProcess): Transport {
    return {
      send: async (request) => {
        // As over sockets: nothing is begun after its time.
        if (request.totalMs <= 0 || request.signal?.aborted === true) return { kind: "not_sent" };
        let answer: Promise<WireOutcome> = never();
        await process.step("send", async () => {
          answer = this.#leave(process, request);
        });
        return process.step("answer", () => answer);
      },
      close: async () => {},
    };
  }

  #leave(process: SimProcess, request: WireRequest): Promise<WireOutcome> {
    const { time, trace, wire } = this.#parts;
    const { method, path, body = "" } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, text]) => [name.toLowerCase(), text]),
    );
    const call = { method, path, headers, body };
    const reading = readingOf(wire, call);
    const fault = this.#faultFor(reading.kind);
    trace?.say(
      process.name,
      `sends ${method} ${path} ${reading.nonce} ${body}${fault === undefined ? "" : ` [${fault.kind} ${fault.ms}]`}`,
    );
    if (fault?.kind !== "refused")
      this.#parts.left({
        ...reading,
        atMs: time.nowMs,
        process: process.name,
        keyId: headers["api-key"] ?? "",
        body,
      });
    return new Promise((resolve) => {
      const settle = (outcome: WireOutcome): void => {
        time.cancel(deadline);
        request.signal?.removeEventListener("abort", giveUp);
        trace?.say(process.name, `is answered ${worded(outcome)} to ${method} ${path}`);
        void process.whenAwake().then(() => resolve(outcome));
      };
      const giveUp = (): void => settle({ kind: "no_answer" });
      const deadline = time.after(request.totalMs, giveUp);
      request.signal?.addEventListener("abort", giveUp, { once: true });
      const passage = { call, ms: fault?.ms ?? 0, settle: once(settle, deadline) };
      if (fault === undefined) this.#arrive(passage.call, 0, (answer) => this.#answer(passage, answer));
      else WAYS[fault.kind](this.#hands(passage), passage, wire);
    });
  }

  #faultFor(kind: RequestKind): Fault | undefined {
    const nth = this.#sent.get(kind) ?? 0;
    this.#sent.set(kind, nth + 1);
    const { time, startMs } = this.#parts;
    const sinceMs = time.nowMs - startMs;
    const outage = this.#outages.find(({ fromMs, toMs }) => fromMs <= sinceMs && sinceMs < toMs);
    const fault = this.#faults.get(`${kind} ${nth}`) ?? (outage && { kind: outage.kind, ms: 1_000 });
    if (fault !== undefined) this.injected.set(fault.kind, (this.injected.get(fault.kind) ?? 0) + 1);
    return fault;
  }

  #hands(passage: Passage): Hands {
    return {
      arrive: (afterMs, then) => this.#arrive(passage.call, afterMs, then),
      answer: (answer, afterMs = 0) => this.#answer(passage, answer, afterMs),
      end: (kind) => this.#after(0, () => passage.settle({ kind })),
    };
  }

  /** The request reaches the venue after its way, and `afterMs` more. */
  #arrive(call: WireCall, afterMs: number, then: (answer: WireAnswer) => void): void {
    this.underWay++;
    this.#after(afterMs, () => {
      this.underWay--;
      const answer = this.#parts.venue.deliver(call);
      this.#parts.trace?.say(
        "venue",
        `${answer.status} to ${call.method} ${call.path} ${readingOf(this.#parts.wire, call).nonce}`,
      );
      then(answer);
    });
  }

  /** Dated as by every server; one that is late bears the date it was made. */
  #answer(passage: Passage, { status, body, ...answer }: WireAnswer, afterMs = 0): void {
    const headers = { ...answer.headers, date: new Date(this.#parts.venue.nowMs).toUTCString() };
    this.#after(afterMs, () => passage.settle({ kind: "answer", status, headers, body }));
  }

  #after(ms: number, ring: () => void): void {
    const { time, draw, latencyMs } = this.#parts;
    time.after(ms + draw.between(1, latencyMs), ring);
  }
}

/** What a fault can do with a request. */
interface Hands {
  readonly arrive: (afterMs: number, then: (answer: WireAnswer) => void) => void;
  readonly answer: (answer: WireAnswer, afterMs?: number) => void;
  readonly end: (kind: "not_sent" | "no_answer" | "garbled") => void;
}

const nothing = (): void => {};

const WAYS: Readonly<Record<FaultKind, (hands: Hands, passage: Passage, wire: Wire) => void>> = {
  refused: ({ end }) => end("not_sent"),
  lost: nothing,
  reset: ({ end }) => end("no_answer"),
  busy: ({ answer }, _passage, { busy }) => answer(busy),
  limited: ({ answer }, _passage, { limited }) => answer(limited),
  html: ({ answer }) => answer(PAGE),
  lost_after: ({ arrive }) => arrive(0, nothing),
  reset_after: ({ arrive, end }) => arrive(0, () => end("no_answer")),
  fail_after: ({ arrive, answer }, _passage, { busy }) => arrive(0, () => answer(busy)),
  html_after: ({ arrive, answer }) => arrive(0, () => answer(PAGE)),
  garbled_after: ({ arrive, answer }) =>
    arrive(0, (given) => answer({ ...given, body: given.body.subarray(0, given.body.length >> 1) })),
  contradicted_after: ({ arrive, answer }, _passage, { contradicted }) =>
    arrive(0, (given) => answer(contradicted(given))),
  not_http: ({ arrive, end }) => arrive(0, () => end("garbled")),
  slow: ({ arrive, answer }, { ms }) => arrive(0, (given) => answer(given, ms)),
  late: ({ arrive, answer }, { ms }) => arrive(ms, answer),
  late_reset: ({ arrive, end }, { ms }) => {
    arrive(ms, nothing);
    end("no_answer");
  },
  twice: ({ arrive, answer }, { ms }) => {
    arrive(0, answer);
    arrive(ms, nothing);
  },
  twice_second: ({ arrive, answer }, { ms }) => {
    arrive(0, nothing);
    arrive(ms, answer);
  },
};

const PAGE: WireAnswer = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: Buffer.from("<html><body><h1>502 Bad Gateway</h1></body></html>"),
};

/** Only the first outcome counts, and none after the deadline rang. */
function once(
  settle: (outcome: WireOutcome) => void,
  deadline: { readonly ring: unknown },
): (outcome: WireOutcome) => void {
  return (outcome) => {
    if (deadline.ring !== undefined) settle(outcome);
  };
}

function worded(outcome: WireOutcome): string {
  return outcome.kind === "answer" ? String(outcome.status) : outcome.kind;
}
