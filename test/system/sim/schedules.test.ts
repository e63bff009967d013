import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { drawn } from "../../fixture/drawn.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Over the second venue fewer do: what differs there is what goes over the wire. A store on a server takes ten times as long. */
const SCHEDULES: readonly (readonly [venue: string, store: string, count: number, from: number])[] = [
  ...third("open", 500),
  ...third("trading", 100),
  ["open", "postgres", 100, 1],
  ["upbit", "sqlite", 500, 1],
  ...drawn(["bithumb", "korbit", "coinone"], 1).map((venue) => [venue, "sqlite", 500, 1] as const),
];

/** A third of them by the seed of the run. */
function third(venue: string, count: number) {
  return drawn([1, 2, 3], 1).map((part) => [venue, "sqlite", count, 1 + (part - 1) * count] as const);
}

interface Simulated {
  readonly code: unknown;
  readonly said: string;
}

/** As a command, on all cores. It asks nobody for the time, so it takes what the other tests leave of the machine. */
function simulate(...[venue, store, count, from]: (typeof SCHEDULES)[number]): Promise<Simulated> {
  const asked = ["--schedules", String(count), "--from", String(from), "--venue", venue, "--store", store];
  const words = ["-n", "19", "npm", "run", "--silent", "sim", "--", ...asked];
  return new Promise((resolve) =>
    execFile("nice", words, { cwd: ROOT }, (error, said) => resolve({ code: error === null ? 0 : error.code, said })),
  );
}

it.each(SCHEDULES)(
  "nothing is wrong in schedules over the %s venue and %s: %i from %i on",
  async (venue, store, count, from) => {
    const { code, said } = await simulate(venue, store, count, from);
    process.stderr.write(said);
    expect(said).toContain(`${count} schedules over the ${venue} venue and ${store}`);
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("nothing is wrong") });
  },
  1_800_000,
);
