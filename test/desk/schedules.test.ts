import { describe, expect, it } from "vitest";
import { apiInUse, has } from "../fixture/desk-over-sandbox.ts";
import { runSchedule } from "./schedule.ts";

/** `HOGA_SCHEDULE=<seed>` replays one; `HOGA_SCHEDULES=<count>` runs more of them, as `test/system/desk` does. */
const replay = process.env["HOGA_SCHEDULE"];
const count = Number(process.env["HOGA_SCHEDULES"] ?? "20"); // not money: a number of runs
const first = Number(replay ?? "1"); // not money: a seed
const seeds = Array.from({ length: replay === undefined ? count : 1 }, (_, index) => first + index);
const AT_ONCE = 24;

describe("random schedules of orders, cancels, faults and deaths", () => {
  it.runIf(has("proof"))(
    "end with at most one order an intent, and with the truth",
    async () => {
      const failures: string[] = [];
      const queue = [...seeds];
      const worker = async (): Promise<void> => {
        for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
          const { wrong, steps } = await runSchedule(seed);
          if (wrong.length === 0) continue;
          const folder = apiInUse() === "trading" ? "test/system/over-trading" : "test/desk";
          const line = `HOGA_SCHEDULE=${seed} npx vitest run ${folder}/schedules.test.ts`;
          failures.push([`seed ${seed}: ${wrong.join("; ")}`, ...steps.map((step) => `  ${step}`), line].join("\n"));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(failures.slice(0, 3).join("\n\n")).toBe("");
    },
    30_000 + 1_000 * seeds.length,
  );
});
