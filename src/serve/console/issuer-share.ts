/**
 * Owns how often the issuer is asked about sign-ins, and that no address uses it up for the others.
 *
 * Invariants: in a minute the issuer is asked at most thirty times, for one address five times; a third of the thirty is for addresses from which somebody
 * has signed in today, so that strangers, however many addresses they have, do not shut out who comes back.
 *
 * Source: decision 0072.
 */
import { isIPv6 } from "node:net";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ALL_MAX = 30;
const STRANGERS_MAX = 20;
const ADDRESS_MAX = 5;
const KNOWN_MAX = 256;

export class IssuerShare {
  readonly #now: () => number;
  #asked: { readonly block: string; readonly atMs: number }[] = [];
  /** When somebody last signed in from there, oldest first. */
  readonly #known = new Map<string, number>();

  /** @param now milliseconds that only rise */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a question. @returns whether it may be asked */
  take(address: string): boolean {
    const [block, nowMs] = [blockOf(address), this.#now()];
    this.#asked = this.#asked.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
    const isKnown = nowMs - (this.#known.get(block) ?? Number.NEGATIVE_INFINITY) < DAY_MS;
    const own = this.#asked.filter((asked) => asked.block === block).length;
    const strangers = this.#asked.filter((asked) => !this.#known.has(asked.block)).length;
    if (own >= ADDRESS_MAX || this.#asked.length >= ALL_MAX || (!isKnown && strangers >= STRANGERS_MAX)) return false;
    this.#asked.push({ block, atMs: nowMs });
    return true;
  }

  /** Somebody has signed in from there. */
  known(address: string): void {
    const block = blockOf(address);
    this.#known.delete(block);
    this.#known.set(block, this.#now());
    for (const oldest of [...this.#known.keys()].slice(0, -KNOWN_MAX)) this.#known.delete(oldest);
  }
}

/** Whoever has an address of IPv6 has all of its /64. */
function blockOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...behind];
  return all
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":");
}
