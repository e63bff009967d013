import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, start } from "../../fixture/program.ts";

const isOn = (home: string): boolean => readFileSync(join(home, "hoga.db.brake"), "utf8").startsWith('{"brake":"on"');

afterAll(cleanUp);

it("trading is halted before a password manager is asked", async () => {
  const home = freshHome();
  writeFileSync(
    join(home, "config.toml"),
    'default_profile = "l"\n[profiles.l]\nenvironment = "live"\nbase_url = "http://127.0.0.1:9"\nkey_command = "sleep 100"\n',
    { mode: 0o600 },
  );
  const halting = start(["halt"], { home });
  await eventually(() => {
    try {
      return isOn(home) || undefined;
    } catch {
      return undefined;
    }
  }, 10_000);
  expect(halting.child.exitCode).toBeNull();
  expect(halting.stdout()).toBe("");
  await halting.stop("SIGKILL");
});
