/** What the system refuses, in words: by no kind of it is anybody asked to report a defect. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorReport, explain } from "../../src/cli/failure.ts";
import { wordsFor } from "../../src/words/index.ts";

const CODES = [
  ...["EACCES", "EPERM", "ENOTDIR", "EISDIR", "EEXIST", "ENOENT", "ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE"],
  ...["EADDRINUSE", "EADDRNOTAVAIL", "ELOOP", "EBUSY", "EIO", "EPIPE", "ENAMETOOLONG"],
];
const system = (code: string, more: object = { path: "/somewhere" }) =>
  Object.assign(new Error(`${code}: as Node says it`), { code, syscall: "open", errno: -1, ...more });

describe("what the system refuses", () => {
  it.each(CODES)("when it says %s, comes with its place and what to do, and not as a defect", (code) => {
    for (const locale of ["en", "ko"] as const) {
      const words = wordsFor({ locale, timeZone: "UTC" });
      const lines = explain(system(code), words).join("\n");
      expect(lines).toContain(code);
      expect(lines).toMatch(/→ ./);
      expect(lines).not.toContain(words.say("error.report"));
    }
    expect(errorReport(system(code))).toMatchObject({
      error: { message: expect.stringContaining(code) },
      next_action: expect.any(String),
    });
  });

  it("names the address of a port, and quotes a path", () => {
    const words = wordsFor({ locale: "en", timeZone: "UTC" });
    const [port] = explain(system("EADDRINUSE", { address: "127.0.0.1", port: 8421 }), words);
    expect(port).toContain('"127.0.0.1:8421"');
    expect(explain(system("EACCES", { path: "a\u202eb" }), words)[0]).not.toContain("\u202e");
  });

  it("leaves a defect what it is", () => {
    const words = wordsFor({ locale: "en", timeZone: "UTC" });
    expect(explain(new TypeError("x is not a function"), words).join("\n")).toContain("Please report this");
  });
});

describe("the file that the program starts with", () => {
  it("imports nothing and is written in old JavaScript, as an old Node reads it whole", () => {
    const source = readFileSync(new URL("../../src/cli/node-version.ts", import.meta.url), "utf8");
    expect(source).not.toMatch(/^import /m);
    expect(source).not.toMatch(/\?\?|\?\.|#\w|^await /m);
  });
});
