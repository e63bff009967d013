/** The way of somebody who begins, whole: what stands in the guide about it is what a script does, and it works. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./packed.ts";

interface Went {
  readonly commands: number;
  readonly spent: string;
  readonly steps: readonly { readonly what: string; readonly command: string; readonly seconds: number }[];
}

it("goes from an empty directory to a filled paper order by two commands and one Enter", () => {
  execFileSync(process.execPath, [join(ROOT, "scripts", "build.mjs"), "--types"], { stdio: "pipe" });
  const script = join(ROOT, "scripts", "first-order.mjs");
  const said = execFileSync(process.execPath, [script, "--json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const went = JSON.parse(said) as Went;
  expect(went.commands).toBe(2);
  expect(Number(went.spent)).toBeGreaterThan(49_000); // not money: that there is a sum
  expect(went.steps.map(({ what }) => what)).toEqual(["install", "begin", "start and first order"]);
  for (const { seconds } of went.steps) expect(seconds).toBeGreaterThan(0);
  const guide = readFileSync(join(ROOT, "docs", "guides", "install.md"), "utf8");
  for (const { command } of went.steps) expect(guide).toContain(command.replace(/^.*(hoga init).*$/, "$1"));
}, 300_000);
