import { appendFileSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsedNames } from "../../../src/sandbox/service/used-names.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-names-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Whether each can be used, by somebody who has just opened the directory. */
function used(...names: readonly string[]): readonly boolean[] {
  const opened = new UsedNames(dir);
  return names.map((name) => opened.use("ann", name));
}

describe("a used name", () => {
  it("can be used once by each owner, also without a directory", () => {
    const names = new UsedNames(undefined);
    expect([names.use("ann", "a"), names.use("ann", "a"), names.use("bob", "a")]).toEqual([true, false, true]);
  });

  it("is kept over restarts, whatever it is", () => {
    const odd = ["a", "a\nb", '"], ["ann', "가", ""];
    expect(used(...odd)).toEqual([true, true, true, true, true]);
    expect(used(...odd, "new")).toEqual([false, false, false, false, false, true]);
    expect(statSync(join(dir, "used-names")).mode & 0o777).toBe(0o600);
  });

  it("is not used when its line is incomplete, and the next one is kept all the same", () => {
    used("a");
    appendFileSync(join(dir, "used-names"), '["ann","cut"');
    expect(used("a", "cut", "b")).toEqual([false, true, true]);
    expect(used("a", "cut", "b")).toEqual([false, false, false]);
  });

  it("is written through no link", () => {
    symlinkSync(join(dir, "elsewhere"), join(dir, "used-names"));
    expect(() => new UsedNames(dir)).toThrow("ELOOP");
  });
});
