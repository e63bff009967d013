/** A data directory that is put back from a copy has forgotten what was sent since; nothing of it leaves a second time. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { limitBuy, oneLine, quartet } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { WIDE, writePolicy } from "../fixture/home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { line } = await startSandbox({ home: freshHome() }, []);
  env = quartet(line.base_url, line.api_key, line.api_secret);
});

let home: string;
let price = 90_000_000;
beforeEach(async () => {
  home = freshHome();
  price -= 1_000_000;
});

const hoga = async (...args: string[]) => run([...args, "--json"], { home, env });
const order = (...more: string[]) => hoga("call", ...limitBuy(String(price)), ...more);

/** @returns puts the directory back as it is now, as a snapshot of the disk does: nothing in it or about it tells that it was */
function copied(): () => void {
  const copy = freshHome();
  cpSync(home, copy, { recursive: true });
  return () => {
    const kept = readdirSync(copy);
    for (const name of readdirSync(home)) if (!kept.includes(name)) rmSync(join(home, name), { recursive: true });
    for (const name of kept.filter((each) => /^hoga\.db/.test(each)))
      writeFileSync(join(home, name), readFileSync(join(copy, name)));
    cpSync(join(copy, ".local"), join(home, ".local"), { recursive: true });
  };
}

/** Orders of this test at the exchange. */
async function placed(): Promise<number> {
  const { orders } = oneLine<{ orders: { price: string }[] }>(await hoga("orders", "--state", "all"));
  return orders.filter((each) => each.price === String(price)).length;
}

describe("a data directory that was put back", () => {
  it("does not send again what a person has approved since", async () => {
    writePolicy(home, { ...WIDE, mode: "confirm", approval_drift_pct: "50" });
    await setPin(home);
    const { intent_id: id } = oneLine<{ intent_id: string }>(await order());
    const putBack = copied();
    const approve = () => runTerminal(["approve", id], { home, env }, [["PIN: ", PIN]]);
    expect((await approve()).screen).toContain("Accepted: buy");
    putBack();
    const again = await approve();
    expect(again.screen).toContain("already has an order under userref");
    expect(again.code).not.toBe(0);
    expect(await placed()).toBe(1);
  });

  it("does not place again what a caller has named, nor a draft that was used", async () => {
    writePolicy(home, { ...WIDE, approval_over_krw: "900000" });
    const named = ["--userref", `named-${price}`];
    const { draft_id: draft } = oneLine<{ draft_id: string }>(
      await hoga("call", "preview_order", ...limitBuy(String(price), "0.002").slice(1)),
    );
    const putBack = copied();
    expect(oneLine(await order(...named))).toMatchObject({ outcome: "accepted" });
    expect(oneLine(await hoga("call", "place_order", "--draft-id", draft))).toMatchObject({ outcome: "accepted" });
    expect(oneLine(await order(...named))).toMatchObject({ outcome: "accepted" });
    putBack();
    for (const again of [await order(...named), await hoga("call", "place_order", "--draft-id", draft)]) {
      expect(oneLine(again)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Userref in use" } });
      expect(again.stdout).toContain("already has an order under userref");
    }
    expect(await placed()).toBe(2);
  });
});
