/** A slip in how a setting is written makes no second account, and no other setting: a ~, a path that is not whole, a blank round a value. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect, it } from "vitest";
import { limitBuy, oneLine } from "../fixture/command.ts";
import { cleanUp, run } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { WIDE, widePaperHome, writePolicy } from "../fixture/home.ts";

afterAll(cleanUp);

it("~ is the user's own directory, and a relative one is refused before anything is made", async () => {
  const user = freshHome();
  const made = await run(["audit", "--json"], { home: user, env: { HOGA_HOME: "~/x" } });
  expect(made.code).toBe(0);
  expect(existsSync(join(user, "x", "hoga.db"))).toBe(true);
  const before = readdirSync(process.cwd());
  for (const words of [["orders"], ["serve"], ["call", ...limitBuy()], ["store", "check"], ["pin"]]) {
    const refused = await run(words, { home: user, env: { HOGA_HOME: "hoga-relative" } });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`HOGA_HOME=${join(process.cwd(), "hoga-relative")}`);
  }
  expect(readdirSync(process.cwd())).toEqual(before);
});

it("a halt is refused for that neither, and says which directory it has halted", async () => {
  const home = await widePaperHome();
  expect(oneLine(await run(["call", ...limitBuy(), "--json"], { home }))).toMatchObject({ outcome: "accepted" });
  const halted = await run(["halt", "--json"], { home, env: { HOGA_HOME: relative(process.cwd(), home) } });
  expect(oneLine(halted)).toMatchObject({ brake: "everywhere", canceled: 1 });
  expect(halted.stdout).toContain(`what was halted is ${home}`);
});

it("a blank round a setting is not part of it: in config.toml, policy.toml and variables", async () => {
  const home = await widePaperHome();
  writePolicy(home, { ...WIDE, mode: " bounded ", max_order_krw: "900000 " });
  const config =
    'timezone = "Asia/Seoul "\nlocale = " ko"\ndefault_profile = " own"\n[profiles.own]\nenvironment = "sandbox "\n';
  writeFileSync(join(home, "config.toml"), config, { mode: 0o600 });
  const status = await run(["call", "get_desk_status", "--json"], { home });
  expect(oneLine(status)).toMatchObject({ profile: "own", now: { timezone: "Asia/Seoul" }, mode: "bounded" });
  const env = { HOGA_TIMEZONE: " Asia/Tokyo ", HOGA_PROFILE: "own ", HOGA_HOME: ` ${home} `, HOGA_LOG_LEVEL: " warn" };
  const byVariables = await run(["call", "get_desk_status", "--json"], { home, env });
  expect(oneLine(byVariables)).toMatchObject({ profile: "own", now: { timezone: "Asia/Tokyo" } });
});
