import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { unprovenAt } from "../../../src/cli/composition/open-venue.ts";
import { type KeptProbe, keepProbe, triedAt } from "../../../src/cli/probe/probe-file.ts";
import { homeOf } from "../../../src/config/index.ts";
import { CARDS } from "../../../src/venues/index.ts";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";

afterAll(cleanUp);

const PASSED: KeptProbe = {
  ...{ exchange: "upbit", environment: "live", practice: false, passed: true },
  at: "2026-11-20T09:00:00.000Z",
};
const UPBIT = CARDS.find(({ name }) => name === "upbit");
const LIVE = { name: "upbit", environment: "live" } as const;

describe("a probe that is kept", () => {
  const kept = (...probes: readonly Partial<KeptProbe>[]) => {
    const home = homeOf({ HOGA_HOME: freshHome() });
    for (const probe of probes) keepProbe(home, { ...PASSED, ...probe });
    return home;
  };

  it("lies in the data directory, for its owner alone, the last one of a day", () => {
    const home = kept({ passed: false }, {});
    expect(readdirSync(join(home.dir, "probes"))).toEqual(["upbit-2026-11-20.json"]);
    const path = join(home.dir, "probes/upbit-2026-11-20.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1, passed: true, ordered_at: null });
  });

  it("counts as a try with a real key where it has passed, so that real orders go there", () => {
    const home = kept({}, { at: "2026-11-25T09:00:00.000Z" }, { at: "2026-11-26T09:00:00.000Z", passed: false });
    expect(triedAt(home, "upbit")).toEqual({ day: "2026-11-25", ordered_on: null });
    if (UPBIT === undefined) throw new Error("there is no card of Upbit");
    expect(unprovenAt(LIVE, UPBIT, home)).toBeUndefined();
  });

  it.each<[string, Partial<KeptProbe>]>([
    ["that has failed", { passed: false }],
    ["of a sandbox", { environment: "sandbox" }],
    ["of a live profile at an exchange that says it is a sandbox", { practice: true }],
    ["of another exchange", { exchange: "bithumb" }],
  ])("does not count where it is one %s", (_, probe) => {
    expect(triedAt(kept(probe), "upbit")).toBeUndefined();
  });

  it("does not count where others can write it, or where it is none", () => {
    const home = kept({});
    const path = join(home.dir, "probes/upbit-2026-11-20.json");
    chmodSync(path, 0o666);
    expect(triedAt(home, "upbit")).toBeUndefined();
    writeFileSync(path, "{", { mode: 0o600 });
    chmodSync(path, 0o600);
    expect(triedAt(home, "upbit")).toBeUndefined();
  });

  it("keeps that an order was placed that day, whatever is read there afterwards", () => {
    const home = kept({ ordered_at: PASSED.at }, {});
    expect(triedAt(home, "upbit")).toEqual({ day: "2026-11-20", ordered_on: "2026-11-20" });
  });

  it("is told by hoga venues", async () => {
    const { dir: home } = kept({ ordered_at: PASSED.at });
    const told =
      "read here with a real key on 2026-11-20 (hoga probe); a real order placed and canceled here on 2026-11-20";
    expect((await run(["venues"], { home })).stdout).toContain(told);
    expect((await run(["venues", "upbit"], { home })).stdout).toContain(told);
    expect(oneLine(await run(["venues", "upbit", "--json"], { home }))).toMatchObject({
      probed: { day: "2026-11-20", ordered_on: "2026-11-20" },
    });
  });
});
