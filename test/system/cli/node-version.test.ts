/** What the program says to a Node that is too old for it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cleanUp, run } from "../../fixture/program.ts";

const dir = mkdtempSync(join(tmpdir(), "hoga-node-"));
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await cleanUp();
});

/** The program, in a Node that says so of itself. */
function runIn(version: string) {
  const claim = join(dir, `${version}.cjs`);
  writeFileSync(claim, `Object.defineProperty(process, "version", { value: ${JSON.stringify(version)} });`);
  return run(["--version"], { env: { NODE_OPTIONS: `--require ${claim}` } });
}

describe("a Node of another version", () => {
  it.each(["v14.21.3", "v18.20.4", "v20.18.3", "v20.9.0"])(
    "gets one sentence with what to do, of %s",
    async (version) => {
      const { code, stdout, stderr } = await runIn(version);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr.trim().split("\n")).toEqual([
        expect.stringMatching(
          `^hoga: this needs Node 20\\.19 or newer, and was started with ${version}: install a newer`,
        ),
      ]);
    },
  );

  it.each(["v20.19.0", "v22.0.0", "v100.0.0"])("runs in %s", async (version) => {
    const { code, stdout } = await runIn(version);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });
});
