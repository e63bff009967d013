/** A store that is damaged halts, is told in true sentences, and goes on once a person has accepted it or put a backup back. */
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { openConnection } from "../../src/store/sql/driver.ts";
import { eventually, limitBuy, oneLine } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, start } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { widePaperHome } from "../fixture/home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  home = await widePaperHome();
  env = { XDG_STATE_HOME: freshHome() };
  await setPin(home);
});

const hoga = (...args: string[]) => run([...args, "--json"], { home, env });
const place = (price = "91000000") => hoga("call", ...limitBuy(price));
const HALTED = { outcome: "not_sent", error: { code: "ELocal:Trading halted" } };

async function vandalize(sql: string): Promise<void> {
  const vandal = await openConnection(join(home, "hoga.db"), {
    journal: "wal",
    durability: "normal",
    random: Math.random,
  });
  await vandal.single(({ run: change }) => change(sql, []));
  vandal.close();
}

const isOn = (): true | undefined =>
  readFileSync(join(home, "hoga.db.brake"), "utf8").startsWith('{"brake":"on"') || undefined;

async function resume(): Promise<void> {
  const resumed = await runTerminal(["resume"], { home, env }, [["PIN: ", PIN]]);
  expect(resumed.screen).toContain("Trading goes on.");
}

it("a row of the log that was changed halts a server that starts, until a person accepts it; then it is not found again", async () => {
  expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
  await vandalize("UPDATE audit SET detail = replace(detail, '91000000', '91000001') WHERE seq = 2");
  const server = start(["serve", "--http", "--port", "0"], { home, env });
  await eventually(isOn);
  await eventually(() => server.stderr().includes("Trading is halted. The store is damaged") || undefined);
  expect(oneLine(await place("90000000"))).toMatchObject(HALTED);
  await server.stop();
  const verified = await run(["audit", "verify"], { home, env });
  expect(verified).toMatchObject({ code: 1 });
  expect(verified.stdout).toContain("row 2 is not as it was written. The 1 rows before that are as they were written.");
  await resume();
  const { accepted } = oneLine<{ accepted: number }>(await hoga("audit", "verify"));
  const since = await run(["audit", "verify", "--since", String(accepted)], { home, env });
  expect(since.stdout).toContain(`is whole since row ${accepted}, in which a person resumed trading`);
  expect(since.code).toBe(0);
  expect(await run(["audit", "verify", "--since", "2"], { home, env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The last such row is ${accepted}.`),
  });
  const again = start(["serve", "--http", "--port", "0"], { home, env });
  await again.firstLine();
  expect(oneLine(await place("90000000"))).toMatchObject({ outcome: "accepted" });
  expect(isOn()).toBeUndefined();
  await again.stop();
  await vandalize("UPDATE audit SET detail = replace(detail, '90000000', '90000001')");
  expect((await run(["audit", "verify", "--since", String(accepted)], { home, env })).code).toBe(1);
});

it("a backup is whole while others write, and halts once it is put back, with what came since told", async () => {
  expect(oneLine(await place())).toMatchObject({ outcome: "accepted" });
  const file = join(freshHome(), "it's a copy.db");
  const written = await hoga("store", "backup", file);
  expect(oneLine(written)).toMatchObject({ file, log_is_whole: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await run(["store", "backup", file], { home, env })).toMatchObject({ code: 2 });
  expect(await run(["store", "backup"], { home, env })).toMatchObject({ code: 2 });
  expect(readdirSync(join(file, ".."))).toEqual(["it's a copy.db"]);
  expect(oneLine(await place("90000000"))).toMatchObject({ outcome: "accepted" });
  for (const name of readdirSync(home)) if (/^hoga\.db(-wal|-shm)?$/.test(name)) rmSync(join(home, name));
  copyFileSync(file, join(home, "hoga.db"));
  chmodSync(join(home, "hoga.db"), 0o600);
  const denied = await place("90500000");
  expect(oneLine(denied)).toMatchObject(HALTED);
  expect(denied.stderr).toContain("put back from a copy");
  await resume();
  expect(oneLine(await place("90500000"))).toMatchObject({ outcome: "accepted" });
  const verified = await run(["audit", "verify"], { home, env });
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringMatching(/--since \d+\n$/) });
});
