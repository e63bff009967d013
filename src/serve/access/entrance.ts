/**
 * Owns what a request that was let in passes before it is served: its caller's limits, by what it weighs, and its turn.
 *
 * Invariants: what halts or cancels has limits of its own, which nothing else uses up, and waits for no turn; what is over the limits is
 * refused with a time before its body is read, unless that is so small that it may be one of those; a caller has as many pictures under
 * way as the line of pictures has places for it.
 *
 * Source: decision 0035, decision 0071.
 */
import type { IncomingMessage } from "node:http";
import { burdenOf, PICTURE_PLACES, Turns } from "../../mcp/index.ts";
import { ANYBODY, type Entry, type Excess, type Identity } from "../wire/caller.ts";
import { pathOf } from "../wire/route.ts";
import { CallerQuota, type TenantLimits, TenantQuota } from "./caller-limits.ts";

/** Bounds halts and cancels of one caller: more than anybody's hand gives. */
const URGENT = { callerOpenMax: 16, callerPerSecond: 10, callerBurst: 40 } as const;
/** Lists where a halt may be posted, and how large it is at most. */
const POSTED_TO: readonly string[] = ["/mcp", "/messages"];
const URGENT_BYTES_MAX = 8 * 1_024;

const PICTURES: Excess = {
  message: `Too many pictures at once: this caller may have ${PICTURE_PLACES} under way, one that is drawn and ${PICTURE_PLACES - 1} that wait.`,
  retryAfterS: 1,
};

export class Entrance {
  readonly #turns = new Turns();
  /** Told of what halts or cancels elsewhere. @param ended resolves when it has ended */
  readonly onUrgent = (ended: Promise<void>): void => this.#turns.urgent(ended);
  readonly #quota: TenantQuota;
  readonly #urgent: CallerQuota;
  readonly #pictures = new Map<string, number>();

  /** @param now milliseconds that only rise */
  constructor(limits: TenantLimits, now: () => number) {
    this.#quota = new TenantQuota(limits, now);
    this.#urgent = new CallerQuota(URGENT, now);
  }

  /**
   * @param ended resolves when the request has ended
   * @param crowded said where there are too many requests of all callers
   */
  enter(
    request: IncomingMessage,
    identity: Identity,
    { ended, crowded }: { readonly ended: Promise<void>; readonly crowded: Excess | undefined },
  ): Entry | Excess {
    const excess = crowded ?? this.#quota.enter(identity, ended);
    if (excess !== undefined && !mayBeUrgent(request)) return excess;
    return { pass: (message) => this.#pass(message, identity, { ended, excess }) };
  }

  async #pass(
    message: unknown,
    identity: Identity,
    { ended, excess }: { readonly ended: Promise<void>; readonly excess: Excess | undefined },
  ): Promise<Excess | undefined> {
    const { isUrgent, isLook, weight, hasPicture } = burdenOf(message);
    if (isUrgent) {
      const beyond = excess && this.#urgent.enter(identity, ended);
      if (beyond === undefined) this.#turns.urgent(ended);
      return beyond;
    }
    const beyond = excess ?? this.#quota.spend(identity, weight - 1) ?? this.#withPicture(hasPicture, identity, ended);
    if (beyond === undefined && isLook && identity !== ANYBODY) await this.#turns.look(identity.key, weight, ended);
    return beyond;
  }

  #withPicture(hasPicture: boolean, { key }: Identity, ended: Promise<void>): Excess | undefined {
    if (!hasPicture) return undefined;
    const open = this.#pictures.get(key) ?? 0;
    if (open >= PICTURE_PLACES) return PICTURES;
    this.#pictures.set(key, open + 1);
    void ended.then(() => {
      const left = (this.#pictures.get(key) ?? 1) - 1;
      if (left > 0) this.#pictures.set(key, left);
      else this.#pictures.delete(key);
    });
    return undefined;
  }
}

/** Told by its head alone. */
function mayBeUrgent(request: IncomingMessage): boolean {
  const length = Number(request.headers["content-length"] ?? Number.NaN); // not money: bytes
  return request.method === "POST" && POSTED_TO.includes(pathOf(request)) && length <= URGENT_BYTES_MAX;
}
