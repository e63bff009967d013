import { describe, expect, it } from "vitest";
import { readSources } from "../tidy/source.ts";

/** Where text leaves the process past the one place that takes secrets out of it. */
const EXIT =
  /process\.(stdout|stderr)\.write|process\._rawDebug|\bconsole\.(log|error|warn|info|debug|trace|dir|table)\b|writeSync\(\s*[12]\b/;

/** The first's programs are text for a reader, who runs them; the second says which Node is too old, before anything is loaded. */
const OTHERS = ["src/cli/output.ts", "src/sandbox/reference/signing-example.ts", "src/cli/node-version.ts"];

describe("what the program prints", () => {
  it("is written by cli/output.ts, which takes secrets out", () => {
    const others = readSources("src").filter(({ path }) => !OTHERS.includes(path));
    expect(others.filter(({ text }) => EXIT.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("holds a secret in one command only, on purpose", () => {
    const users = readSources("src").filter(({ text }) => /\bprintKeyPair\b/.test(text));
    expect(users.map(({ path }) => path)).toEqual(["src/cli/commands/sandbox.ts", "src/cli/output.ts"]);
  });
});
