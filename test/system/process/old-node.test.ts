/** A Node that is too old for the program, by its own word. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { CLI } from "../../fixture/program.ts";

const startedBy = (version: string) =>
  spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`,
      CLI,
      "--version",
    ],
    { encoding: "utf8" },
  );

it.each(["v12.22.0", "v18.20.4", "v20.18.3"])("%s is told in one sentence what it needs", (version) => {
  const { status, stdout, stderr } = startedBy(version);
  expect([status, stdout, stderr.trim().split("\n").length]).toEqual([1, "", 1]);
  expect(stderr).toContain(`needs Node 20.19 or newer, and was started with ${version}`);
});

it.each(["v20.19.0", "v22.0.0", "v100.1.0"])("%s is new enough", (version) => {
  expect(startedBy(version)).toMatchObject({ status: 0, stderr: "" });
});
