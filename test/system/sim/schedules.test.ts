import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Over the second venue fewer do: what differs there is what goes over the wire. A store on a server takes ten times as long. */
const SCHEDULES = [
  ["open", "sqlite", "1500"],
  ["trading", "sqlite", "300"],
  ["open", "postgres", "100"],
  ["upbit", "sqlite", "500"],
  ["bithumb", "sqlite", "500"],
  ["korbit", "sqlite", "500"],
  ["coinone", "sqlite", "500"],
] as const;

/** As a command, on all cores. It asks nobody for the time, so it takes what the other tests leave of the machine. */
function simulate(
  venue: string,
  store: string,
  schedules: string,
): Promise<{ readonly code: unknown; readonly said: string }> {
  const words = [
    "-n",
    "19",
    "npm",
    "run",
    "--silent",
    "sim",
    "--",
    "--schedules",
    schedules,
    "--venue",
    venue,
    "--store",
    store,
  ];
  return new Promise((resolve) =>
    execFile("nice", words, { cwd: ROOT }, (error, said) => resolve({ code: error === null ? 0 : error.code, said })),
  );
}

it.each(SCHEDULES)(
  "nothing is wrong in the first schedules over the %s venue and %s: %s of them",
  async (venue, store, schedules) => {
    const { code, said } = await simulate(venue, store, schedules);
    process.stderr.write(said);
    expect(said).toContain(`${schedules} schedules over the ${venue} venue and ${store}`);
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("nothing is wrong") });
  },
  1_800_000,
);
