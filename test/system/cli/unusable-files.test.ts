/** A directory where a file should be, and a file where a directory should: told with what to do, and never as a defect of hoga. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";

afterAll(cleanUp);

const COMMANDS = [["call", "get_balances"], ["halt"], ["orders"]] as const;
const NAMES = ["config.toml", "policy.toml", "http-token", "hoga.db", "host.json", "halted", "paper"];

const directories = NAMES.map(
  (name) => [`a directory at ${name}`, (home: string) => mkdirSync(join(home, name), { recursive: true })] as const,
);
const files = ["paper", "host.json", "halted"].map(
  (name) => [`a file without sense at ${name}`, (home: string) => writeFileSync(join(home, name), "x")] as const,
);
const inItsPlace = [
  "a file in the place of the data directory",
  (home: string) => {
    rmSync(home, { recursive: true });
    writeFileSync(home, "x");
  },
] as const;

it.each([...directories, ...files, inItsPlace])("%s is no defect to report", async (_, spoil) => {
  for (const command of COMMANDS) {
    const home = freshHome();
    spoil(home);
    const { stdout, stderr } = await run(command, { home });
    expect([command, `${stdout}${stderr}`]).toEqual([
      command,
      expect.not.stringMatching(/report this|inside hoga|defect/i),
    ]);
  }
});
