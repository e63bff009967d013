import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../src/cli/command-line.ts";
import type { Io } from "../../src/cli/invocation.ts";

const lineOf = (program: string, env: Record<string, string>, name: string, platform: NodeJS.Platform = "linux") =>
  commandLine({ env, io: { program } as Io }, { name }, platform);

describe("the command line that a person copies", () => {
  it.each(["/plain/cli.js", "/with a space/cli.js", "/it's/cli.js", "/a$HOME`x`;y/cli.js"])(
    "is one for a shell: %s",
    (program) => {
      const home = "/data of 'mine'/$HOME";
      const line = lineOf(program, { HOGA_HOME: home }, "my profile")("approve", "01a1");
      const shown = "'console.log(JSON.stringify([process.env.HOGA_HOME, ...process.argv.slice(1)]))'";
      const { stdout } = spawnSync(
        "/bin/sh",
        ["-c", line.replace(process.execPath, `${process.execPath} -e ${shown} --`)],
        {
          encoding: "utf8",
          env: {},
        },
      );
      expect(JSON.parse(stdout)).toEqual([home, program, "approve", "01a1", "--profile", "my profile"]);
    },
  );

  it("names the data directory only where a variable does, and no profile that was made of variables", () => {
    expect(lineOf("/x/cli.js", {}, "paper")("pin")).toBe(`${process.execPath} /x/cli.js pin --profile paper`);
    expect(lineOf("/x/cli.js", {}, "environment")("pin")).toBe(`${process.execPath} /x/cli.js pin`);
  });

  it("carries the store on a server without its password, and a data directory that another variable leads to", () => {
    const url = "postgres://hoga:opensesame99@db:5432/hoga?sslmode=verify-full&password=opensesame99";
    const line = lineOf("/x/cli.js", { HOGA_STORE_URL: url }, "real")("resume");
    expect(line).toBe(
      `HOGA_STORE_URL='postgres://hoga@db:5432/hoga?sslmode=verify-full' ${process.execPath} /x/cli.js resume --profile real`,
    );
    expect(lineOf("/x/cli.js", { XDG_DATA_HOME: "/data" }, "paper")("pin")).toMatch(/^HOGA_HOME=\/data\/hoga /);
    expect(lineOf("/x/cli.js", { HOME: "/var/lib/hoga", HOGA_HOME: "/srv/x" }, "real")("pin")).toMatch(
      /^sudo -u hoga -H env HOGA_HOME=\/srv\/x /,
    );
    expect(lineOf("/x/cli.js", { HOGA_STORE_URL: "nonsense" }, "paper")("pin")).toMatch(/ pin --profile paper$/);
  });

  it("is run as hoga's own account where hoga has one", () => {
    expect(lineOf("/x/cli.js", { HOME: "/var/lib/hoga" }, "real")("approve", "1")).toBe(
      `sudo -u hoga -H ${process.execPath} /x/cli.js approve 1 --profile real`,
    );
    expect(lineOf("/x/cli.js", { HOME: "/home/hoga" }, "real")("pin")).not.toContain("sudo");
  });

  it("is one for the command prompt on Windows", () => {
    expect(lineOf("/x/cli.js", { HOGA_HOME: "/d a" }, "paper", "win32")("pin")).toMatch(
      /^set "HOGA_HOME=\/d a" && .* pin --profile paper$/,
    );
  });
});
