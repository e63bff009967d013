/**
 * Owns the time that the page reckons with: the server's, as far as it is known. What waits for a person ends by that clock, whatever
 * the one of this machine says.
 */

export interface Clock {
  /** Unix milliseconds at the server, about. */
  now(): number;
  /** The server has said what time it is there. */
  heard(serverTime: string): void;
}

export function clockBy(own: () => number = () => Date.now()): Clock {
  let ahead: number | undefined;
  return {
    now: () => own() + (ahead ?? 0),
    heard(serverTime) {
      const there = Date.parse(serverTime);
      if (Number.isNaN(there)) return;
      // On its way a time only grows older: the farthest ahead is the nearest to the truth, unless a clock was set.
      const difference = there - own();
      if (ahead === undefined || difference > ahead || ahead - difference > 10_000) ahead = difference;
    },
  };
}
