import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, type Environment, homeOf, loadProfile } from "../../src/config/index.ts";

const home = homeOf({ HOGA_HOME: join(tmpdir(), "hoga-no-such-home") });
const load = (env: Environment) => loadProfile(home, env).name;

describe("HOGA_STORE_URL", () => {
  it.each(["postgres://u:canary@db.example/hoga", "sqlite:x", "x"])("is not supported yet: %s", (url) => {
    expect(() => load({ HOGA_STORE_URL: url })).toThrow(ConfigError);
    try {
      load({ HOGA_STORE_URL: url });
    } catch (error) {
      const { message, fix } = error as ConfigError;
      expect(message).toMatch(/HOGA_STORE_URL .*not supported yet/);
      expect(fix).toMatch(/Unset .*SQLite/);
      expect(message + fix).not.toContain("canary");
    }
  });

  it("may be empty", () => expect(load({ HOGA_STORE_URL: "" })).toBe("paper"));
});

describe("HOGA_LOG_LEVEL", () => {
  it.each(["error", "warn", "info", "debug", ""])("may be %j", (level) => {
    expect(load({ HOGA_LOG_LEVEL: level })).toBe("paper");
  });

  it.each(["DEBUG", "trace", "verbose", " info", "1"])("may not be %j", (level) => {
    expect(() => load({ HOGA_LOG_LEVEL: level })).toThrow(/HOGA_LOG_LEVEL has a value/);
  });
});
