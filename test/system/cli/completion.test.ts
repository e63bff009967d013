/** Completion as a shell does it: a real bash with the script that `hoga completion bash` prints, and real programs behind it. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environment } from "../../fixture/program.ts";
import { ROOT } from "../../tidy/source.ts";

const dir = mkdtempSync(join(tmpdir(), "hoga-completion-"));
const bin = join(dir, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "hoga"), `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, "dist/cli.js")} "$@"\n`);
chmodSync(join(bin, "hoga"), 0o755);
const env = { ...environment({ home: dir }), PATH: `${bin}:${process.env["PATH"] ?? ""}` };

/** What bash offers where these words are typed, the last one in part. */
function typed(...words: readonly string[]): readonly string[] {
  const line = ["hoga", ...words].map((word) => `'${word}'`).join(" ");
  const script = `
    source <(hoga completion bash)
    COMP_WORDS=(${line}); COMP_CWORD=${words.length}
    _hoga
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync("bash", ["--noprofile", "--norc", "-c", script], { env, encoding: "utf8" });
  return said.split("\n").filter((each) => each !== "");
}

describe("in bash", () => {
  it("a command, an option, a market and a tool's field are completed", () => {
    expect(typed("appr")).toEqual(["approve"]);
    expect(typed("doctor", "--js")).toEqual(["--json"]);
    expect(typed("book", "BT")).toEqual(["BTC/KRW"]);
    expect(typed("call", "place_order", "--quote")).toEqual(["--quote_amount"]);
  });

  it("nothing is offered where nothing fits", () => {
    expect(typed("approve", "")).toEqual([]);
  });
});

describe("each script", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("asks the program itself: %s", (shell) => {
    const script = execFileSync("hoga", ["completion", shell], { env, encoding: "utf8" });
    expect(script).toContain("hoga complete");
    expect(script).toContain("--word=");
  });

  it("is refused for a shell that there is not", () => {
    expect(() => execFileSync("hoga", ["completion", "tcsh"], { env, stdio: "pipe" })).toThrow("Allowed choices");
  });
});
