/** The search that runs over every output of the suite finds what it is there to find. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { overheard, searchHome } from "../fixture/secrecy-check.ts";

const SECRET = "+/canary/eavesdropping+9w7Zk1fyPq==";
const PAPER_SECRET = Buffer.from("the secret of an exchange on paper").toString("base64");

let home: string;
beforeEach(() => {
  // What is found here is no finding of the suite.
  vi.stubEnv("SUITE_REPORT", undefined);
  home = mkdtempSync(join(tmpdir(), "hoga-test-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** Runs a program that is overheard, with a secret in a variable. */
async function runProgram(code: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", DESK_SECRET: SECRET, ...overheard(home) };
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { env });
}

const ANSWER = `
  import { createServer } from "node:http";
  const server = createServer((_, response) => { response.write("{"); response.end(SAID); }).listen(0, "127.0.0.1", async () => {
    await (await fetch("http://127.0.0.1:" + server.address().port)).text();
    server.close();
  });`;

describe("a secret is found", () => {
  it.each([
    ["on stdout", "console.log(process.env.DESK_SECRET)", /\.stdout: plain$/],
    ["on stderr, in base64", "console.error(btoa(process.env.DESK_SECRET))", /\.stderr: base64$/],
    [
      "past the stream",
      `import { writeSync } from "node:fs"; writeSync(1, process.env.DESK_SECRET)`,
      /\.direct: plain$/,
    ],
    [
      "in an answer over HTTP, in an address",
      ANSWER.replace("SAID", "encodeURIComponent(process.env.DESK_SECRET)"),
      /\.http: percent$/,
    ],
  ])("%s", async (_, code, where) => {
    await runProgram(code);
    const { leaks, programs } = searchHome(home, []);
    expect(leaks.some((leak) => where.test(leak))).toBe(true);
    expect(leaks.join("")).not.toContain(SECRET);
    expect(programs).toBe(1);
  });

  it("of the exchange on paper, in a file that was left", async () => {
    mkdirSync(join(home, "sandbox"));
    writeFileSync(join(home, "sandbox", "key.json"), JSON.stringify({ api_key: "k", api_secret: PAPER_SECRET }));
    expect(searchHome(home, []).leaks).toEqual([]);
    writeFileSync(join(home, "audit.jsonl"), `{"key":"${PAPER_SECRET}"}`);
    expect(searchHome(home, []).leaks).toContain(`${join(home, "audit.jsonl")}: plain`);
  });

  it("and nothing where there is none", async () => {
    await runProgram(`console.log("nothing to tell", process.env.DESK_SECRET.length)`);
    expect(searchHome(home, [])).toMatchObject({ leaks: [], programs: 1, secrets: 1 });
  });
});
