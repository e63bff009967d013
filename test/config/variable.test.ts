import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError, type Environment, homeOf, loadProfile, StoreUrl, scrubber } from "../../src/config/index.ts";

const home = homeOf({ HOGA_HOME: join(tmpdir(), "hoga-no-such-home") });
const load = (env: Environment) => loadProfile(home, env).name;

describe("HOGA_STORE_URL", () => {
  it.each(["mysql://u:canary@db.example/hoga", "sqlite:canary", "postgres://", "canary"])("may not be %s", (url) => {
    expect(() => load({ HOGA_STORE_URL: url })).toThrow(ConfigError);
    try {
      load({ HOGA_STORE_URL: url });
    } catch (error) {
      const { message, fix } = error as ConfigError;
      expect(message).toMatch(/HOGA_STORE_URL has a value/);
      expect(fix).toMatch(/postgres:.*unset it.*SQLite/);
      expect(message + fix).not.toContain("canary");
    }
  });

  it("may be an address of PostgreSQL, whose password then leaves by no way, nor when it is printed", () => {
    const url = "postgres://u:open%20sesame%20canary@db.example/hoga?sslmode=verify-full";
    expect(load({ HOGA_STORE_URL: url })).toBe("paper");
    const store = StoreUrl.of(url);
    expect(
      `${String(store)} ${inspect(store)} ${JSON.stringify({ store, home: homeOf({ HOGA_STORE_URL: url }) })}`,
    ).not.toContain("sesame");
    expect(store?.reveal()).toBe(url);
    for (const said of ["open sesame canary", "open%20sesame%20canary"])
      expect(scrubber.text(`connected as u with ${said}`)).toBe("connected as u with [secret]");
  });

  it.each([
    ["postgres//u:rosebud-canary@db.example/hoga", "rosebud-canary"],
    ["postgres://u:rosebud/2-canary@[db.example/hoga", "rosebud/2-canary"],
    ["rosebud-3-canary", "rosebud-3-canary"],
  ])("hides the password of %s, and not what every address has", (url, password) => {
    expect(() => load({ HOGA_STORE_URL: url })).toThrow(ConfigError);
    expect(scrubber.text(`with ${password}`)).toBe("with [secret]");
    const said = "postgres://user:password@host:5432/database, as at db.example/hoga";
    expect(scrubber.text(said)).toBe(said);
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
