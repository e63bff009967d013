/**
 * Runs the conformance suite of the protocol's authors, as a program, under the Node that it needs. Both lie beside this file; `npm run
 * conformance` installs them, which `npm run test:system` does first.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

const MODULES = join(import.meta.dirname, "node_modules");
const SUITE = join(MODULES, "@modelcontextprotocol", "conformance");

/** Judging takes seconds; a scenario that waits in vain gives up by itself after 30 s, and several may. */
const PATIENCE_MS = 100_000;

/** Node 22 of a package that runs nothing when it is installed; there is one here for Linux on x64 alone. */
const NODE = join(MODULES, `node-${process.platform}-${process.arch}`, "bin", "node");

export type Revision = "2025-11-25" | "2026-07-28";

/** What each scenario found wrong: nothing in those that pass. */
export type Findings = ReadonlyMap<string, readonly string[]>;

/** The scenarios that a server of this revision has to pass. */
export function requiredBy(revision: Revision): readonly string[] {
  const set = parse(readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8")) as { server: string[] };
  return set.server;
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** Judges the server at this address by all scenarios of the revision. */
export async function findings(revision: Revision, url: string): Promise<Findings> {
  if (!existsSync(SUITE)) throw new Error("first run `npm run conformance`");
  if (!existsSync(NODE))
    throw new Error(`the conformance suite needs Node 22: add its package for ${process.platform}-${process.arch}`);
  const results = mkdtempSync(join(tmpdir(), "hoga-conformance-"));
  try {
    const said = await run(["server", "--url", url, "--requirements", revision, "--output-dir", results]);
    const found = new Map(readdirSync(results).map((name) => [scenarioOf(name), wrongIn(join(results, name))]));
    if (found.size === 0) throw new Error(`the conformance suite judged nothing: ${said}`);
    return found;
  } finally {
    rmSync(results, { recursive: true });
  }
}

/** Fails a scenario: a warning is of what a server should do. */
function wrongIn(folder: string): readonly string[] {
  const checks = JSON.parse(readFileSync(join(folder, "checks.json"), "utf8")) as readonly Check[];
  const wrong = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  return checks.length === 0 ? ["nothing was checked"] : wrong.map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
}

/** `server-tools-list-2026-11-23T10-00-00-000Z` */
function scenarioOf(folder: string): string {
  return /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder;
}

/** It ends with an exit code of its own where a scenario fails. @returns what it printed */
function run(args: readonly string[]): Promise<string> {
  const { bin } = JSON.parse(readFileSync(join(SUITE, "package.json"), "utf8")) as { bin: Record<string, string> };
  const program = join(SUITE, bin["conformance"] ?? "");
  return new Promise((resolve) => {
    const settings = { env: { PATH: "" }, maxBuffer: 2 ** 26, timeout: PATIENCE_MS, killSignal: "SIGKILL" } as const;
    execFile(NODE, [program, ...args], settings, (_failed, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}
