import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, type Home, homeOf, httpToken } from "../../src/config/index.ts";

let home: Home;
beforeEach(() => {
  home = homeOf({ HOGA_HOME: mkdtempSync(join(tmpdir(), "hoga-token-")) });
});
afterEach(() => rmSync(home.dir, { recursive: true }));

describe("the token for HTTP", () => {
  it("is made once, for its owner alone, and is the same at the next start", () => {
    const token = httpToken(home).reveal();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(httpToken(home).reveal()).toBe(token);
    expect(readFileSync(home.httpToken, "utf8")).toBe(`${token}\n`);
    expect((statSync(home.httpToken).mode & 0o777).toString(8)).toBe("600");
    expect((statSync(home.dir).mode & 0o777).toString(8)).toBe("700");
    expect(readdirSync(home.dir)).toEqual(["http-token"]);
  });

  it.each([
    ["others may read", () => chmodSync(home.httpToken, 0o644), "is open to other users of this machine (mode 644)"],
    ["is empty", () => writeFileSync(home.httpToken, ""), "holds no token"],
    ["a person made too short", () => writeFileSync(home.httpToken, "swordfish\n"), "holds no token"],
    ["is a directory", () => replace(() => mkdirSync(home.httpToken, { mode: 0o700 })), "is not a file"],
    ["is a link", () => replace(() => symlinkSync("/etc/passwd", home.httpToken)), "is a link"],
  ])("is not used where the file %s, and not told", (_, harm, problem) => {
    const token = httpToken(home).reveal();
    harm();
    let error: unknown;
    try {
      httpToken(home);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      message: expect.stringContaining(problem),
      fix: expect.stringContaining("Remove it"),
    });
    expect(String(error)).toContain(home.httpToken);
    expect(String(error)).not.toContain(token);
  });

  it("is another one after the file was removed", () => {
    const token = httpToken(home).reveal();
    rmSync(home.httpToken);
    expect(httpToken(home).reveal()).not.toBe(token);
  });
});

function replace(put: () => void): void {
  rmSync(home.httpToken);
  put();
}
