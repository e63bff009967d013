import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { limitBuy } from "../../fixture/command.ts";
import { cleanUp, run } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { writePolicy } from "../../fixture/home.ts";

afterAll(cleanUp);

/** What is offered for the last of these words. */
async function offered(words: readonly string[], home = freshHome()): Promise<readonly string[]> {
  const word = words.at(-1) ?? "";
  const { stdout, stderr, code } = await run(["complete", `--word=${word}`, "--", ...words.slice(0, -1)], { home });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what completes a line", () => {
  it.each<[readonly string[], readonly string[]]>([
    [["appr"], ["approve"]],
    [["compl"], ["completion"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
    [["webhooks", ""], ["listen"]],
    [["venues", "ko"], ["korbit"]],
    [["book", "BTC"], ["BTC/KRW"]],
    [["ticker", "BTC/KRW", "ETH"], ["ETH/KRW"]],
    [["call", "place_"], ["place_order"]],
    [["call", "place_order", "--base"], ["--base_volume"]],
    [["call", "place_order", "--symbol", "XRP"], ["XRP/KRW"]],
    [
      ["call", "place_order", "--side", ""],
      ["buy", "sell"],
    ],
    [["orders", "--profile", "pa"], ["paper"]],
    [["orders", "--profile=pa"], ["--profile=paper"]],
    [["orders", "--profile", "=", "pa"], ["paper"]],
    [["orders", "--profile", "="], ["paper"]],
    [["doctor", "--js"], ["--json"]],
    [["book", "BTC/KRW", ""], []],
    [["nothing-such", ""], []],
    [["approve", ""], []],
    [
      ["plans", ""],
      ["list", "show", "create", "pause", "resume", "cancel"],
    ],
    [
      ["plans", "create", "s"],
      ["stop", "slices"],
    ],
    [["plans", "create", "alert", "--symbol", "ETH"], ["ETH/KRW"]],
    [["plans", "cancel", ""], []],
  ])("is, of %j, %j", async (words, found) => {
    expect(await offered(words)).toEqual(found);
  });

  it("has every command but the one that the shell asks", async () => {
    const commands = await offered([""]);
    for (const name of ["start", "serve", "call", "halt", "doctor"]) expect(commands).toContain(name);
    expect(commands).not.toContain("complete");
  });

  it("has the profiles of the settings", async () => {
    const home = freshHome();
    const config = join(home, "config.toml");
    writeFileSync(config, '[profiles.desk1]\nenvironment = "live"\nbase_url = "https://api.example.com"\n');
    chmodSync(config, 0o600);
    expect(await offered(["orders", "--profile", ""], home)).toEqual(["paper", "desk1"]);
  });

  it("has the ids of what waits, for who decides on them", async () => {
    const home = freshHome();
    writePolicy(home, { mode: "confirm" });
    const placed = await run(["call", ...limitBuy(), "--json"], { home });
    expect(placed.stdout).toContain("awaiting_approval");
    const ids = await offered(["approve", ""], home);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)]);
    expect(await offered(["deny", (ids[0] ?? "").slice(0, 6)], home)).toEqual(ids);
    expect(await offered(["settle", ""], home)).toEqual([]);
  });

  it("is nothing where the settings cannot be read, and no word of them", async () => {
    const home = freshHome();
    writeFileSync(join(home, "config.toml"), "not = [toml");
    expect(await offered(["orders", "--profile", ""], home)).toEqual([]);
    expect(await offered(["appr"], home)).toEqual(["approve"]);
  });
});
