/**
 * Owns how many deliveries may be in flight at once, and which endpoint is served next. Entry point: `DeliverySlots`.
 *
 * Invariants: deliveries in flight are bounded, for one endpoint and in all. An endpoint has several at a time, so that one that hangs
 * does not delay the others, until as many in a row have failed: then it has one. Endpoints that never accepted any, or of which so
 * many have failed, leave half of the slots free together, so that however many are dead, one that answers does not wait for
 * them. The endpoint with the fewest in flight is served first, and of those the one served longest ago.
 *
 * Source: service.md#webhook-isolation.
 */

/** Bounds all endpoints together. */
export const IN_FLIGHT_MAX = 32;
const IN_FLIGHT_PER_ENDPOINT = 4;
/** Bounds all endpoints together that do not answer. */
const UNANSWERED_MAX = IN_FLIGHT_MAX / 2;

interface Usage {
  inFlight: number;
  /** Tells that one was accepted, and since then fewer failed in a row than may be in flight. */
  answers: boolean;
  /** In a row. */
  failures: number;
  /** Number of the attempt that was begun last. */
  turn: number;
}

export class DeliverySlots {
  readonly #usages = new Map<string, Usage>();
  #inFlight = 0;
  #unanswered = 0;
  #turn = 0;

  isFree(webhookId: string): boolean {
    const { inFlight, answers, failures } = this.#usage(webhookId);
    if (this.#inFlight >= IN_FLIGHT_MAX) return false;
    if (!answers && this.#unanswered >= UNANSWERED_MAX) return false;
    return inFlight < (failures < IN_FLIGHT_PER_ENDPOINT ? IN_FLIGHT_PER_ENDPOINT : 1);
  }

  begin(webhookId: string): void {
    const usage = this.#usage(webhookId);
    this.#turn += 1;
    this.#change(usage, { inFlight: usage.inFlight + 1, turn: this.#turn });
  }

  end(webhookId: string, isAccepted: boolean): void {
    const usage = this.#usage(webhookId);
    const failures = isAccepted ? 0 : usage.failures + 1;
    const answers = isAccepted || (usage.answers && failures < IN_FLIGHT_PER_ENDPOINT);
    this.#change(usage, { inFlight: usage.inFlight - 1, answers, failures });
  }

  /** In the order they are to be served. Forgets all others. */
  inTurn<Endpoint extends { readonly webhookId: string }>(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    const known = new Set(endpoints.map(({ webhookId }) => webhookId));
    for (const [webhookId, { inFlight }] of this.#usages)
      if (inFlight === 0 && !known.has(webhookId)) this.#usages.delete(webhookId);
    return endpoints.toSorted((a, b) => {
      const [one, other] = [this.#usage(a.webhookId), this.#usage(b.webhookId)];
      return one.inFlight - other.inFlight || one.turn - other.turn;
    });
  }

  #usage(webhookId: string): Usage {
    let usage = this.#usages.get(webhookId);
    if (usage === undefined) {
      usage = { inFlight: 0, answers: false, failures: 0, turn: 0 };
      this.#usages.set(webhookId, usage);
    }
    return usage;
  }

  #change(usage: Usage, to: Partial<Usage>): void {
    const unansweredOf = ({ inFlight, answers }: Usage): number => (answers ? 0 : inFlight);
    const [inFlight, unanswered] = [usage.inFlight, unansweredOf(usage)];
    Object.assign(usage, to);
    this.#inFlight += usage.inFlight - inFlight;
    this.#unanswered += unansweredOf(usage) - unanswered;
  }
}
