/** Markets that look as if they had fallen to 100, and have not: each stands for one way in which a stop sells for nothing. */
import type { Shape } from "./scripted-market.ts";

const FALL = "bid 97; ask 99; print 98";
const RECOVERY = "bid 104; ask 105; print 104";

/** Prints of others go on at that price. */
const printing = (at: string, fromMs: number, untilMs: number, everyMs = 500) =>
  Array.from(
    { length: Math.floor((untilMs - fromMs) / everyMs) },
    (_, n) => [fromMs + n * everyMs, `print ${at}`] as const,
  );

const flicker = Array.from(
  { length: 14 },
  (_, n) => [1_000 + n * 400, n % 2 === 0 ? "ask 99; print 99" : "ask 105"] as const,
);

export const FALSE_SHAPES: readonly Shape[] = [
  { title: "a wick that stays the last print", script: [[1_000, "wick 95"]] },
  {
    title: "a dip of nearly two seconds",
    script: [
      [1_000, FALL],
      [2_900, RECOVERY],
    ],
  },
  {
    title: "two dips with a moment between",
    script: [
      [1_000, FALL],
      [2_600, RECOVERY],
      [2_900, FALL],
      [4_500, RECOVERY],
    ],
  },
  { title: "quotes that fall and nobody trades at", script: [[1_000, "bid 97; ask 99"]] },
  {
    title: "quotes that fall long after a wick",
    script: [
      [1_000, "wick 99"],
      [12_000, "bid 97; ask 99"],
    ],
  },
  { title: "a trade that is told twelve seconds late", script: [[1_000, "bid 97; ask 99; print 98 12000"]] },
  {
    title: "one's own trades alone",
    script: [
      [1_000, "bid 97; ask 99; own-print 99"],
      [2_000, "own-print 99"],
      [3_000, "own-print 98"],
    ],
  },
  {
    title: "one's own quote under the market",
    script: [
      [1_000, "own-quote 99; wick 98"],
      [2_500, "wick 98"],
    ],
  },
  {
    title: "a trade at the bid while nobody asks so little",
    script: [[1_000, "bid 99; ask 102"], ...printing("99", 1_100, 7_000)],
  },
  { title: "a book that flickers", script: flicker },
  { title: "prints that stay above", script: [[1_000, "bid 97; ask 100"], ...printing("100.5", 1_100, 6_000)] },
  {
    title: "a process that stood still for less than a second, when the dip was over",
    script: [
      [1_000, FALL],
      [2_200, "freeze 900"],
      [2_300, RECOVERY],
    ],
  },
  {
    title: "a gap in the stream",
    script: [
      [1_000, FALL],
      [2_500, "drop"],
      [2_900, "back"],
      [4_000, RECOVERY],
    ],
  },
  {
    title: "a gap with the recovery in it",
    script: [
      [1_000, FALL],
      [1_500, "drop"],
      [2_500, RECOVERY],
      [6_000, FALL],
      [6_400, "back"],
      [7_500, RECOVERY],
    ],
  },
  {
    title: "reconnects again and again",
    script: [
      [1_000, FALL],
      [2_500, "reconnect"],
      [4_000, "reconnect; print 98"],
      [5_500, "reconnect; print 98"],
      [7_000, RECOVERY],
    ],
  },
  {
    title: "a stream that stalls in a dip",
    script: [
      [1_000, FALL],
      [1_300, "stall"],
      [2_000, RECOVERY],
      [6_500, "resume"],
    ],
  },
  {
    title: "a stream that stalls until it is dropped",
    script: [
      [1_000, FALL],
      [1_300, "stall"],
      [2_000, RECOVERY],
      [14_000, "drop; resume"],
      [15_000, "back"],
    ],
  },
  {
    title: "an exchange whose clock leaps by seconds",
    script: [
      [1_000, FALL],
      [1_600, "clock 2500"],
      [2_800, RECOVERY],
    ],
  },
  {
    title: "an exchange whose clock goes back",
    script: [
      [1_000, FALL],
      [2_600, "clock -3600000"],
      [4_200, RECOVERY],
    ],
  },
  {
    title: "a print from before the clock went back",
    script: [
      [1_000, "wick 98"],
      [2_000, "clock -3600000"],
      [14_000, "bid 97; ask 99"],
    ],
  },
  {
    title: "our own clock, set ahead in a dip",
    script: [
      [1_000, FALL],
      [1_500, "our-clock 3600000"],
      [2_500, RECOVERY],
    ],
  },
  {
    title: "a process that stood still over a recovery",
    script: [
      [1_000, FALL],
      [1_300, "freeze 4000"],
      [1_400, RECOVERY],
      [5_200, FALL],
      [7_000, RECOVERY],
    ],
  },
  {
    title: "own orders that cannot be read",
    script: [
      [1_000, FALL],
      [1_500, "store-down"],
      [5_000, "store-up; print 98"],
      [6_500, RECOVERY],
    ],
  },
  {
    title: "another process that takes over",
    script: [
      [1_000, FALL],
      [2_700, "new-holder"],
      [4_500, RECOVERY],
    ],
  },
  {
    title: "real money, and an exchange's clock a minute off",
    script: [[500, "clock 120000; measured"], [1_000, FALL], ...printing("98", 1_500, 9_000)],
    forRealMoney: true,
  },
];

/** `fallenAtMs`: since when the market stands there without a break. */
export const TRUE_SHAPES: readonly (Shape & { readonly fallenAtMs: number })[] = [
  {
    title: "a fall of one print, and silence but for heartbeats",
    fallenAtMs: 1_000,
    script: [
      [1_000, FALL],
      [1_100, "stall"],
      [4_900, "resume"],
    ],
  },
  {
    title: "a slow slide through, while our own clock is set again and again",
    fallenAtMs: 5_000,
    script: [
      [1_000, "bid 102; ask 103; print 103"],
      [3_000, "bid 100; ask 101; print 101"],
      [5_000, "bid 99; ask 100; print 100"],
      ...[5_600, 6_600, 7_600, 8_600].map(
        (ms, n) => [ms, `our-clock ${n % 2 === 0 ? "" : "-"}3600000; print 100`] as const,
      ),
    ],
  },
  {
    title: "a fall with a bounce",
    fallenAtMs: 2_600,
    script: [[1_000, FALL], [2_200, "ask 102; print 102"], [2_600, FALL], ...printing("97", 3_000, 6_000)],
  },
  {
    title: "a fall over a reconnect, that stays",
    fallenAtMs: 2_500,
    script: [[1_000, FALL], [2_500, "reconnect"], ...printing("98", 2_600, 7_000)],
  },
  {
    title: "a fall without a stream",
    fallenAtMs: 1_000,
    script: [[500, "drop"], [1_000, FALL], ...printing("98", 1_500, 9_000)],
  },
];
