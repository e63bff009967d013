/** A store that is gone from its place, or is another there, lifts no halt and gives no budget back: whoever starts there is halted. */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { limitBuy, oneLine } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { widePaperHome } from "../fixture/home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  home = await widePaperHome();
  env = { XDG_STATE_HOME: freshHome() };
});

const hoga = (...args: string[]) => run([...args, "--json"], { home, env });
const place = (price = "91000000") => hoga("call", ...limitBuy(price));
const HALTED = { outcome: "not_sent", error: { code: "ELocal:Trading halted" } };

/** What `rm hoga.db*` takes. */
const removeStore = (): void => remove(/^hoga\.db/);

function remove(name: RegExp): void {
  for (const each of readdirSync(home)) if (name.test(each)) rmSync(join(home, each), { recursive: true });
}

describe("a data directory whose store is gone", () => {
  it.each<[string, () => void]>([
    ["by rm hoga.db*", removeStore],
    ["with all else that is no setting", () => remove(/^(?!policy\.toml$|config\.toml$|sandbox$)/)],
    ["with everything, as an empty volume", () => remove(/./)],
  ])("is halted, and says why: %s", async (_, lose) => {
    expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
    lose();
    mkdirSync(home, { recursive: true });
    const denied = await place();
    expect(oneLine(denied)).toMatchObject(HALTED);
    expect(denied.stderr).toContain("Trading is halted. The store is new, and there was one here before");
    // A person's own shell would resume in another directory.
    const { next_action } = oneLine<{ next_action: string }>(denied);
    expect(next_action).toContain(`\`HOGA_HOME=${home} `);
    expect(next_action).toMatch(/ resume --profile paper`/);
    expect(oneLine(await hoga("call", "get_desk_status"))).toMatchObject({ can_trade: false });
    // It is found once. A person lifts it, and then it is the store of this place.
    await setPin(home);
    const resumed = await runTerminal(["resume"], { home, env }, [["PIN: ", PIN]]);
    expect(resumed.screen).toContain("Trading goes on.");
    expect(oneLine(await hoga("call", "get_desk_status"))).not.toHaveProperty("brake");
  });

  it("stays halted where it was", async () => {
    expect((await run(["halt", "--reason", "enough"], { home, env })).code).toBe(0);
    removeStore();
    expect(oneLine(await place())).toMatchObject(HALTED);
  });

  it("stays halted by its kill-switch file alone, where nothing is known of the place", async () => {
    await run(["halt", "--reason", "enough"], { home, env });
    remove(/^hoga\.db(-wal|-shm)?$/);
    rmSync(env["XDG_STATE_HOME"] ?? "", { recursive: true });
    const denied = await place();
    expect(oneLine(denied)).toMatchObject(HALTED);
    expect(denied.stdout).toContain("enough");
  });

  it("is halted where another's store was put in its place", async () => {
    expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
    const other = await widePaperHome();
    await run(["call", ...limitBuy(), "--json"], { home: other, env });
    removeStore();
    cpSync(join(other, "hoga.db"), join(home, "hoga.db"));
    cpSync(join(other, "hoga.db-wal"), join(home, "hoga.db-wal"), { force: true });
    const denied = await place();
    expect(oneLine(denied)).toMatchObject(HALTED);
    expect(denied.stderr).toContain("Another store stood here before");
  });

  it("is as new where nothing is known of the place, as in a container that starts with nothing", async () => {
    expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
    removeStore();
    // Nor does the directory itself know of one.
    remove(/^store\.json$/);
    rmSync(env["XDG_STATE_HOME"] ?? "", { recursive: true });
    expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
  });
});

it("one that goes on from a copy is no other for those who knew the one before: it is accepted once for all", async () => {
  const elsewhere = { XDG_STATE_HOME: freshHome() };
  await setPin(home);
  expect(oneLine(await place("90000000"))).toMatchObject({ outcome: "accepted" });
  expect((await run(["call", "get_desk_status"], { home, env: elsewhere })).code).toBe(0);
  const copy = freshHome();
  const files = readdirSync(home).filter((name) => /^hoga\.db(-wal)?$/.test(name));
  for (const name of files) cpSync(join(home, name), join(copy, name));
  expect(oneLine(await place("90100000"))).toMatchObject({ outcome: "accepted" });
  expect((await run(["call", "get_desk_status"], { home, env: elsewhere })).code).toBe(0);
  remove(/^hoga\.db(-wal|-shm)?$/);
  for (const name of files) cpSync(join(copy, name), join(home, name));
  expect(oneLine(await place("90200000"))).toMatchObject(HALTED);
  const resumed = await runTerminal(["resume"], { home, env }, [["PIN: ", PIN]]);
  expect(resumed.screen).toContain("Trading goes on.");
  for (const whose of [elsewhere, env, elsewhere]) {
    const placed = await run(["call", ...limitBuy("90300000"), "--json"], { home, env: whose });
    expect(oneLine(placed)).toMatchObject({ outcome: "accepted" });
    expect(placed.stderr).not.toContain("halted");
  }
});

it("one that begins where another is gone is accepted once for all who knew that one", async () => {
  const elsewhere = { XDG_STATE_HOME: freshHome() };
  for (const whose of [env, elsewhere])
    expect((await run(["call", "get_desk_status"], { home, env: whose })).code).toBe(0);
  removeStore();
  expect(oneLine(await place())).toMatchObject(HALTED);
  await setPin(home);
  await runTerminal(["resume"], { home, env }, [["PIN: ", PIN]]);
  const placed = await run(["call", ...limitBuy("90300000"), "--json"], { home, env: elsewhere });
  expect(oneLine(placed)).toMatchObject({ outcome: "accepted" });
});
