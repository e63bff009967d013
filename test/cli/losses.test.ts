/** What was lost on disk, or is not in the journal, is told. */
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { startSandbox as openSandbox } from "../../src/sandbox/index.ts";
import { limitBuy, oneLine, QUIET, quartet } from "../fixture/command.ts";
import { cleanUp, run, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { wideHome, widePaperHome } from "../fixture/home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

/** The directory of an exchange as a kill leaves it, with `accounts` records in its newest segment. */
async function killedExchange(accounts: number): Promise<string> {
  const dir = join(freshHome(), "exchange");
  await (await openSandbox({ dir, marketMaker: false })).close();
  const exchange = await openSandbox({ dir, marketMaker: false });
  for (let n = 0; n < accounts; n++)
    exchange.exchange.apply({ type: "createAccount", accountId: `a-${n}`, krwAccountLinked: true }, Date.now());
  await exchange.durable();
  const copy = join(freshHome(), "exchange");
  cpSync(dir, copy, { recursive: true, filter: (path) => !/lock/.test(path) });
  await exchange.close();
  return copy;
}

const newest = (dir: string): string =>
  join(
    dir,
    readdirSync(dir)
      .filter((name) => /^journal-\d/.test(name))
      .sort()
      .at(-1) ?? "",
  );

describe("an exchange that has lost records", () => {
  it.each<[string, (path: string) => void, RegExp]>([
    [
      "whose journal was cut between two records",
      (path) => {
        const lines = readFileSync(path, "utf8").split("\n");
        writeFileSync(path, `${lines.slice(0, -3).join("\n")}\n`);
      },
      /2 records at the end of the journal .* are gone/,
    ],
    ["whose newest file is missing", (path) => rmSync(path), /3 records at the end of the journal .* are gone/],
    [
      "whose journal ends in the middle of a record",
      (path) => truncateSync(path, readFileSync(path).length - 5),
      /1 records at the end of the journal .* are gone/,
    ],
  ])("says so at its start, and once: %s", async (_, damage, said) => {
    const dir = await killedExchange(3);
    damage(newest(dir));
    const started = await startSandbox({}, [...QUIET, "--data", dir]);
    expect(started.stderr()).toMatch(said);
    await started.stop();
    const again = await startSandbox({}, [...QUIET, "--data", dir]);
    expect(again.stderr()).toBe("");
    await again.stop();
  });

  it("says how many bytes of what was under way were cut off", async () => {
    const dir = await killedExchange(1);
    writeFileSync(newest(dir), "12345678 {", { flag: "a" });
    const started = await startSandbox({}, [...QUIET, "--data", dir]);
    expect(started.stderr()).toMatch(/10 bytes at the end of the journal .* were cut off/);
    await started.stop();
  });

  it("says nothing after a kill that lost nothing", async () => {
    const started = await startSandbox({}, [...QUIET, "--data", await killedExchange(3)]);
    expect(started.stderr()).toBe("");
    await started.stop();
  });
});

describe("a database that is gone", () => {
  it("is told by the kill-switch file beside it: trading is halted, and the log says so", async () => {
    const home = await widePaperHome();
    expect((await run(["call", ...limitBuy()], { home })).code).toBe(0);
    for (const name of readdirSync(home).filter((each) => /^hoga\.db(-wal|-shm)?$/.test(each)))
      rmSync(join(home, name));
    const denied = await run(["call", ...limitBuy(), "--json"], { home });
    expect(oneLine(denied)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    expect(denied.stderr).toMatch(/Trading is halted\. The store is new, and there was one here before/);
    const verified = await run(["audit", "verify"], { home });
    expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining("NOT whole") });
  });

  it("is not one that never was: a first halt leaves a file too", async () => {
    const home = freshHome();
    await run(["halt"], { home });
    const again = await run(["audit", "show", "--json"], { home });
    expect(again.stdout).not.toContain('"restored"');
  });
});

describe("open orders at the exchange that the journal does not know", () => {
  it("are told by the status, with their ids", async () => {
    const { line } = await startSandbox({ home: freshHome() });
    const env = quartet(line.base_url, line.api_key, line.api_secret);
    const [one, other] = [wideHome({ approval_over_krw: "900000" }), wideHome({ approval_over_krw: "900000" })];
    const placed = oneLine<{ order: { orderId: string } }>(
      await run(["call", ...limitBuy(), "--json"], { home: other, env }),
    );
    expect((await run(["call", ...limitBuy("89000000")], { home: one, env })).code).toBe(0);
    const { warnings, can_trade } = oneLine<{ warnings: string[]; can_trade: boolean }>(
      await run(["call", "get_desk_status", "--json"], { home: one, env }),
    );
    expect(warnings).toEqual([expect.stringMatching(/^1 open order at the exchange is not in this journal/)]);
    expect(warnings[0]).toContain(placed.order.orderId);
    expect(can_trade).toBe(true);
  });
});
