/** The real program, killed in the middle of reading thousands of fills, again and again; both API families. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { PortfolioView } from "../../../src/desk/index.ts";
import { coinsOf, endow, expectedAssets, tradeAtRandom } from "../../desk/portfolio/trading.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import type { Passage } from "../../fixture/fault-proxy.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";
import { speakTrading } from "../../fixture/trading-home.ts";
import { seeded } from "./chance.ts";

afterAll(cleanUp);

/** Each a page of fills, and two days before the next: who has read to the end looks once more through the day before the newest fill, and no further. */
const DAYS = 8;
const DAY_MS = 86_400_000;
const FILLS_OF_A_DAY = 500;
const KILLS = 3;
/** What one that is killed is answered at most: together less than all pages, however late it is killed. */
const PAGES = 2;
/** Of either API. */
const HISTORY = /^GET \/v1\/trades\/history/;

function homeAt({ proxy, sandbox }: World, api: "open" | "trading"): string {
  const home = freshHome();
  const place = { baseUrl: proxy.url, apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret };
  if (api === "trading") speakTrading(home, place);
  else {
    const profile = { environment: "sandbox", base_url: place.baseUrl, key: place.apiKey, secret: place.apiSecret };
    const lines = Object.entries(profile).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    writeFileSync(join(home, "config.toml"), `default_profile = "open"\n[profiles.open]\n${lines.join("")}`, {
      mode: 0o600,
    });
  }
  return home;
}

/** Undefined of a list's first page. */
function cursorOf({ path, body }: Passage): string | undefined {
  return /cursor=(\w+)/.exec(`${path} ${body}`)?.[1];
}

describe.each(["open", "trading"] as const)("over the %s API", (api) => {
  it("shows a portfolio that is right after kill -9 in the middle of a sync", async () => {
    const random = seeded(`portfolio over ${api}`);
    const world = await openWorld();
    const beganMs = Date.now();
    endow(world);
    const tradeOn = (day: number, count: number) => tradeAtRandom(world, random, count, beganMs + day * 2 * DAY_MS);
    for (let day = 0; day < DAYS; day++) tradeOn(day, FILLS_OF_A_DAY);
    const home = homeAt(world, api);
    const readings = () => world.proxy.log.filter(({ method, path }) => HISTORY.test(`${method} ${path}`));
    for (let kill = 1; kill <= KILLS; kill++) {
      const until = readings().length + 2 + Math.floor(random() * PAGES);
      world.proxy.plan(HISTORY, (page) => page, PAGES);
      world.proxy.plan(HISTORY, "swallow", Number.POSITIVE_INFINITY);
      const program = start(["portfolio", "--json"], { home });
      // One that ends by itself shows why.
      while (readings().length < until && program.child.exitCode === null) await sleep(1);
      await sleep(random() * 20);
      expect(await program.stop("SIGKILL")).toMatchObject({ signal: "SIGKILL", stdout: "" });
      world.proxy.heal();
    }
    const asked = readings().map(cursorOf);
    // Meanwhile it traded.
    tradeOn(DAYS, 3);
    const ended = await run(["portfolio", "--json"], { home });
    expect(ended).toMatchObject({ code: 0 });
    expect(coinsOf(JSON.parse(ended.stdout) as PortfolioView)).toEqual(expectedAssets(world, "average"));
    // What is new comes first. Then it went on where those before were killed: of what they asked for, the last page alone may not have been kept.
    const [first, ...more] = readings().map(cursorOf).slice(asked.length);
    const older = more.slice(0, more.indexOf(undefined));
    expect([first, older.length > 0]).toEqual([undefined, true]);
    expect(older.filter((cursor) => asked.includes(cursor) && cursor !== asked.at(-1))).toEqual([]);
    await world.close();
  });
});
