/**
 * What a benchmark finds: printed row by row, and with `-- --full` kept with its commit in `bench/results`, of which `npm run bench:page` makes a page.
 *
 * Each side has a figure for each round, and the sides take turns in a round, so that a ratio is that of one moment.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { median } from "./statistics.ts";

export const RESULTS = "bench/results";
const OURS = "hoga";

export type Three = readonly [min: number, median: number, max: number];

/** What is wanted of the ratio of our figure to another side's. */
export interface Goal {
  readonly to: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Row {
  readonly figures: Readonly<Record<string, Three>>;
  /** Of our figure to each other side's. */
  readonly ratios: Readonly<Record<string, Three>>;
  readonly goals: readonly Goal[];
}

/** How a figure grows with a size. */
export interface Curve {
  readonly unit: string;
  readonly points: readonly (readonly [size: number, figure: number])[];
  /** 0 where it does not grow, 1 where it grows as the size does. */
  readonly exponent: number;
}

export interface Kept {
  readonly commit: string;
  readonly at: string;
  readonly node: string;
  /** Of the machine, at the end. */
  readonly load: number;
  readonly rows: Readonly<Record<string, Row>>;
  readonly curves: Readonly<Record<string, Curve>>;
}

export class Results {
  readonly #harness: string;
  readonly #rows: Record<string, Row> = {};
  readonly #curves: Record<string, Curve> = {};

  /** @param harness as its file is called */
  constructor(harness: string) {
    this.#harness = harness;
  }

  /** @param sides a figure for each round; ours is called hoga */
  row(name: string, sides: Readonly<Record<string, readonly number[]>>, goals: readonly Goal[] = []): void {
    const ours = sides[OURS] ?? [];
    const others = Object.entries(sides).filter(([side]) => side !== OURS && ours.length > 0);
    const figures = Object.entries(sides).map(([side, found]) => [side, threeOf(found)] as const);
    const ratios = others
      .filter(([, found]) => found.length === ours.length)
      .map(
        ([side, found]) => [side, threeOf(ours.map((figure, round) => figure / (found[round] ?? Number.NaN)))] as const,
      );
    this.#rows[name] = { figures: Object.fromEntries(figures), ratios: Object.fromEntries(ratios), goals };
    process.stdout.write(`${name}\n`);
    for (const [side, three] of figures) {
      const ratio = this.#rows[name].ratios[side];
      process.stdout.write(
        `  ${side.padEnd(30)}${shown(three)}${ratio === undefined ? "" : `   hoga is ${shown(ratio)} of it`}\n`,
      );
    }
  }

  curve(name: string, unit: string, points: Curve["points"]): void {
    const exponent = rounded(slope(points));
    this.#curves[name] = { unit, points: points.map(([size, figure]) => [size, rounded(figure)]), exponent };
    process.stdout.write(`${name}, ${unit}: grows with the power ${exponent.toFixed(2)}\n`);
    for (const [size, figure] of points)
      process.stdout.write(`  ${String(size).padStart(10)}${figureText(figure).padStart(12)}\n`);
  }

  keep(): void {
    const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
    const [load = 0] = loadavg();
    const about = { commit, at: new Date().toISOString(), node: process.version, load: rounded(load) };
    const kept: Kept = { ...about, rows: this.#rows, curves: this.#curves };
    mkdirSync(RESULTS, { recursive: true });
    appendFileSync(`${RESULTS}/${this.#harness}.jsonl`, `${JSON.stringify(kept)}\n`);
  }
}

function threeOf(found: readonly number[]): Three {
  return [rounded(Math.min(...found)), rounded(median(found)), rounded(Math.max(...found))];
}

function shown(three: Three): string {
  return three.map((figure) => figureText(figure).padStart(9)).join(" /");
}

/** Three digits are more than a benchmark knows. */
export function figureText(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}

function rounded(figure: number): number {
  return Number(figure.toPrecision(4)); // not money: a measure
}

/** Of the line through the logarithms, by least squares. */
function slope(points: Curve["points"]): number {
  const logs = points.map(([size, figure]) => [Math.log(size), Math.log(figure)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, each) => sum + each[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const along = logs.reduce((sum, [size, figure]) => sum + (size - x) * (figure - y), 0);
  return along / logs.reduce((sum, [size]) => sum + (size - x) ** 2, 0);
}
