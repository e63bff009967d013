import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, homeOf, isUnconfigured, loadProfile, PAPER } from "../../src/config/index.ts";

let home: Home;

beforeEach(() => {
  home = homeOf({ HOGA_HOME: mkdtempSync(join(tmpdir(), "hoga-unconfigured-")) });
});

afterEach(() => {
  chmodSync(home.dir, 0o700);
  rmSync(home.dir, { recursive: true });
});

describe("nothing is configured", () => {
  it("when there is no file and no variable, and then the paper profile is in force", () => {
    expect(isUnconfigured(home, { HOGA_HOME: home.dir, HOGA_PROFILE: "", HOGA_API_KEY: "" })).toBe(true);
    expect(isUnconfigured({ ...home, config: join(home.dir, "no", "such") }, {})).toBe(true);
    expect(loadProfile(home, {})).toMatchObject(PAPER);
    expect(loadProfile(home, {})).toEqual({ ...PAPER, webhookSecrets: expect.any(Function) });
  });

  it.each([
    "HOGA_PROFILE",
    "HOGA_API_KEY",
    "HOGA_API_SECRET",
    "HOGA_BASE_URL",
    "HOGA_ENVIRONMENT",
    "HOGA_LOG_LEVEL",
    "HOGA_STORE_URL",
    "HOGA_LOCALE",
    "HOGA_TIMEZONE",
  ])("unless %s is set", (name) => {
    expect(isUnconfigured(home, { [name]: "x" })).toBe(false);
  });

  it.each(["config", "policy"] as const)("unless there is a %s file, whatever it is", (file) => {
    writeFileSync(home[file], "");
    expect(isUnconfigured(home, {})).toBe(false);
    rmSync(home[file]);
    symlinkSync("nowhere", home[file]);
    expect(isUnconfigured(home, {})).toBe(false);
    rmSync(home[file]);
    mkdirSync(home[file]);
    expect(isUnconfigured(home, {})).toBe(false);
  });

  it("unless the place of the files cannot be looked at", () => {
    writeFileSync(join(home.dir, "file"), "");
    expect(isUnconfigured({ ...home, config: join(home.dir, "file", "config.toml") }, {})).toBe(false);
  });
});
