/** What another user of the machine has put where hoga looks: a whole data directory, or a link in the place of one of its files. */
import {
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { limitBuy } from "../fixture/command.ts";
import { cleanUp, run } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { widePaperHome } from "../fixture/home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);
afterEach(() => vi.restoreAllMocks());

const BUY = ["call", ...limitBuy("91000000", "0.001"), "--json"];

describe("a data directory of another user", () => {
  it.each([
    ["portfolio"],
    ["pending"],
    ["call", "get_status", "--json"],
    ["serve", "--http", "--port", "0"],
    ["start", "--port", "0"],
    ["tokens", "list"],
    ["halt"],
    ["sandbox", "--port", "0"],
  ])("is left alone by %s: nothing of it is read, run or written", async (...words) => {
    const [home, ran] = [freshHome(), join(freshHome(), "ran")];
    const profile = `[profiles.desk]\nenvironment = "live"\nbase_url = "https://api.example.com"\nkey_command = "touch ${ran}"\n`;
    writeFileSync(join(home, "config.toml"), `default_profile = "desk"\n${profile}`, { mode: 0o600 });
    if (process.getuid?.() === 0) for (const path of [join(home, "config.toml"), home]) lchownSync(path, 1234, 1234);
    else vi.spyOn(process, "geteuid").mockReturnValue((process.geteuid?.() ?? 0) + 1);
    const { code, stderr } = await run(words, { home });
    expect(stderr).toContain(`${home} belongs to another user of this machine`);
    expect(code).not.toBe(0);
    expect([existsSync(ran), readdirSync(home)]).toEqual([false, ["config.toml"]]);
  });
});

/** Every file below a directory, by its way from there. */
function filesIn(dir: string): readonly string[] {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return found.map(({ parentPath, name }) => relative(dir, join(parentPath, name))).sort();
}

describe("a link in the place of a file of hoga's", () => {
  it("is not written through, whichever file it is", async () => {
    const [home, state] = [await widePaperHome({}), freshHome()];
    const place = { home, env: { XDG_STATE_HOME: state } };
    expect((await run(BUY, place)).code).toBe(0);
    expect((await run(["halt"], place)).code).toBe(0);
    const names = filesIn(home).filter((name) => name !== "policy.toml");
    expect(names).toEqual(expect.arrayContaining(["hoga.db", "hoga.db.brake", join("sandbox", "key.json")]));
    const passing = ["hoga.db-wal", "hoga.db-shm", `hoga.db.brake.${process.pid}`];
    for (const name of [...names, ...passing]) {
      const [victim, fresh] = [join(freshHome(), "letter"), freshHome()];
      cpSync(join(home, "policy.toml"), join(fresh, "policy.toml"));
      writeFileSync(victim, "Dear Ada,", { mode: 0o600 });
      mkdirSync(dirname(join(fresh, name)), { recursive: true, mode: 0o700 });
      symlinkSync(victim, join(fresh, name));
      await run(name.startsWith("sandbox") ? BUY : ["halt"], { home: fresh });
      expect([name, readFileSync(victim, "utf8")]).toEqual([name, "Dear Ada,"]);
    }
  });

  it("halts in the place of the brake, also when it leads to one that says off", async () => {
    const [home, other] = [await widePaperHome({}), await widePaperHome({})];
    expect((await run(BUY, { home: other })).code).toBe(0);
    symlinkSync(join(other, "hoga.db.brake"), join(home, "hoga.db.brake"));
    const { code, stdout } = await run(BUY, { home });
    expect([code, stdout]).toEqual([3, expect.stringContaining("ELocal:Trading halted")]);
  });
});
