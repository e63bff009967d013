/**
 * How many deliveries are on their way at once, and whose turn it is. Entry point: `Lanes`.
 *
 * Invariants: for one endpoint and in all, what is on its way is bounded; an endpoint whose last attempt was not taken, or that
 * had none yet, has one at a time, and all such together leave half of the room, so that however many are dead, one that
 * answers does not wait for them; who has the fewest on their way comes first, and of those who was served longest ago.
 */

/** On their way at once, in all. */
export const UNDERWAY_MAX = 32;
const UNDERWAY_PER_ENDPOINT = 4;
/** To all together that do not answer. */
const UNANSWERED_MAX = UNDERWAY_MAX / 2;

interface Lane {
  underway: number;
  /** The last attempt was taken. */
  answers: boolean;
  /** Number of the last turn it had. */
  turn: number;
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  #underway = 0;
  #unanswered = 0;
  #turn = 0;

  hasRoom(webhookId: string): boolean {
    const { underway, answers } = this.#lane(webhookId);
    if (this.#underway >= UNDERWAY_MAX) return false;
    return answers ? underway < UNDERWAY_PER_ENDPOINT : underway === 0 && this.#unanswered < UNANSWERED_MAX;
  }

  begin(webhookId: string): void {
    const lane = this.#lane(webhookId);
    this.#turn += 1;
    this.#change(lane, { underway: lane.underway + 1, turn: this.#turn });
  }

  /** @param answers whether it was taken. */
  end(webhookId: string, answers: boolean): void {
    const lane = this.#lane(webhookId);
    this.#change(lane, { underway: lane.underway - 1, answers });
  }

  /** In the order they are to be served. Forgets those that are not among them. */
  inTurn<Endpoint extends { readonly webhookId: string }>(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    const known = new Set(endpoints.map(({ webhookId }) => webhookId));
    for (const [webhookId, { underway }] of this.#lanes)
      if (underway === 0 && !known.has(webhookId)) this.#lanes.delete(webhookId);
    return endpoints.toSorted((a, b) => {
      const [one, other] = [this.#lane(a.webhookId), this.#lane(b.webhookId)];
      return one.underway - other.underway || one.turn - other.turn;
    });
  }

  #lane(webhookId: string): Lane {
    let lane = this.#lanes.get(webhookId);
    if (lane === undefined) {
      lane = { underway: 0, answers: false, turn: 0 };
      this.#lanes.set(webhookId, lane);
    }
    return lane;
  }

  #change(lane: Lane, to: Partial<Lane>): void {
    const unansweredOf = ({ underway, answers }: Lane): number => (answers ? 0 : underway);
    const [underway, unanswered] = [lane.underway, unansweredOf(lane)];
    Object.assign(lane, to);
    this.#underway += lane.underway - underway;
    this.#unanswered += unansweredOf(lane) - unanswered;
  }
}
