import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Environment, type Home, homeOf, loadProfile, readerIn } from "../../src/config/index.ts";

let home: Home;

beforeEach(() => {
  home = homeOf({ HOGA_HOME: mkdtempSync(join(tmpdir(), "hoga-reader-")) });
});

afterEach(() => rmSync(home.dir, { recursive: true }));

function configure(text: string): void {
  writeFileSync(home.config, text, { mode: 0o600 });
}

const locale = (env: Environment): string => readerIn(home, env).locale;
const zone = (env: Environment): string => readerIn(home, env).timeZone;

describe("the language", () => {
  it("is that of the environment, by the first variable that is set", () => {
    expect(locale({})).toBe("en");
    expect(locale({ LANG: "ko_KR.UTF-8" })).toBe("ko");
    expect(locale({ LANG: "ko" })).toBe("ko");
    expect(locale({ LANG: "kok_IN" })).toBe("en");
    expect(locale({ LC_ALL: "", LC_MESSAGES: "ko_KR", LANG: "en_US.UTF-8" })).toBe("ko");
    expect(locale({ LC_ALL: "C", LC_MESSAGES: "ko_KR", LANG: "ko_KR" })).toBe("en");
  });

  it("is the file's where it names one, and the variable's before that", () => {
    configure('locale = "ko"\n');
    expect(locale({ LANG: "en_US.UTF-8" })).toBe("ko");
    expect(locale({ HOGA_LOCALE: "en", LANG: "ko_KR" })).toBe("en");
    expect(loadProfile(home, {}).name).toBe("paper");
  });
});

describe("the time zone", () => {
  it("is the variable's, the file's, or that of the environment", () => {
    expect(zone({ TZ: "Europe/Paris" })).toBe("Europe/Paris");
    configure('timezone = "America/New_York"\n');
    expect(zone({ TZ: "Europe/Paris" })).toBe("America/New_York");
    expect(zone({ TZ: "Europe/Paris", HOGA_TIMEZONE: "Asia/Tokyo" })).toBe("Asia/Tokyo");
  });

  it("is Seoul's for who reads Korean on a machine without one", () => {
    const machine = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const isUnset = ["UTC", "Etc/UTC"].includes(machine);
    expect(zone({ LANG: "ko_KR" })).toBe(isUnset ? "Asia/Seoul" : machine);
    expect(zone({ LANG: "ko_KR", TZ: "UTC" })).toBe("UTC");
    expect(zone({ LANG: "ko_KR", TZ: ":no/such" })).toBe(isUnset ? "Asia/Seoul" : machine);
    expect(zone({ LANG: "en_US" })).toBe(isUnset ? "UTC" : machine);
  });
});

describe("a value that cannot be used", () => {
  it.each([
    ['locale = "kr"\n', /: locale must be one of "en", "ko"\.$/],
    ['timezone = "Seoul"\n', /: timezone must be the name of a time zone, such as "Asia\/Seoul"\.$/],
    ['timezone = "+09:00"\n', /: timezone must be the name of a time zone/],
    ["timezone = 9\n", /: timezone is missing or not a string\.$/],
  ])("when it stands in the file, stops the start: %s", (text, message) => {
    configure(text);
    expect(() => loadProfile(home, {})).toThrow(message);
    expect(readerIn(home, { LANG: "ko_KR", TZ: "Asia/Tokyo" })).toEqual({ locale: "ko", timeZone: "Asia/Tokyo" });
  });

  it.each([
    [{ HOGA_LOCALE: "KO" }, "HOGA_LOCALE has a value that cannot be used.", /^Set it to one of en, ko/],
    [{ HOGA_TIMEZONE: "KST" }, "HOGA_TIMEZONE has a value that cannot be used.", /Asia\/Seoul/],
  ])("when it is a variable's, stops the start too: %j", (env, message, fix) => {
    expect(() => loadProfile(home, env)).toThrow(message);
    expect(() => loadProfile(home, env)).toThrow(expect.objectContaining({ fix: expect.stringMatching(fix) }));
  });
});
