/** The desk as one call: the settings, the store and the exchange that the commands have, for a program of somebody else. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedDesk, openDesk } from "../../src/index.ts";

let home: string;
let notices: string[];
const opened: OpenedDesk[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hoga-library-"));
  notices = [];
});

afterEach(async () => {
  for (const desk of opened.splice(0)) await desk.close();
  rmSync(home, { recursive: true, force: true });
});

async function open(options: { readonly venue?: string; readonly home?: string } = {}): Promise<OpenedDesk> {
  const onNotice = (message: string): void => void notices.push(message);
  const desk = await openDesk({ home, env: { HOME: home, PATH: "" }, onNotice, ...options });
  opened.push(desk);
  return desk;
}

/** Rounded up to whole won, as budgets count. */
function inWon(value = ""): string {
  const [whole = "", parts] = value.split(".");
  return String(BigInt(whole) + (parts === undefined ? 0n : 1n));
}

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" } as const;

describe("openDesk", () => {
  it("trades on the paper exchange where nothing is configured, within the policy", async () => {
    const desk = await open();
    expect(await desk.place(ORDER)).toMatchObject({ outcome: "accepted", state: "filled", unit: "KRW" });
    const denied = await desk.place({ ...ORDER, quote_amount: "5000000" });
    expect(denied).toMatchObject({ outcome: "not_sent", error: { rule: "order_size" } });
    expect(notices.join()).toContain("hosts the paper exchange");
  });

  it("has one journal with every other desk of the directory, and takes it up again", async () => {
    const [first, second] = [await open(), await open()];
    const report = await first.place({ ...ORDER, userref: "mine" });
    expect(await second.order({ userref: "mine" })).toMatchObject({
      ok: true,
      value: { intent_id: report.intent_id, state: "filled" },
    });
    for (const desk of opened.splice(0)) await desk.close();
    const later = await open();
    expect(await later.order({ userref: "mine" })).toMatchObject({ ok: true, value: { state: "filled" } });
    // What is too little for one more step of the volume is not spent.
    const used = inWon(report.order?.executed_value);
    expect((await later.status()).limits).toContainEqual(expect.objectContaining({ rule: "day_budget", used }));
  });

  it("leaves to a person what the policy leaves to one, and names the command of this package", async () => {
    writeFileSync(join(home, "policy.toml"), 'mode = "confirm"\n', { mode: 0o600 });
    const desk = await open();
    const waiting = await desk.place(ORDER);
    expect(waiting).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    expect(waiting.next_action).toContain("dist/cli.js");
    expect(waiting.next_action).toContain(`approve ${waiting.intent_id}`);
  });

  it("refuses settings that cannot be used, before anything is opened", async () => {
    await expect(open({ venue: "nowhere" })).rejects.toThrow(/nowhere/);
    await expect(open({ home: "relative" })).rejects.toThrow(/HOGA_HOME/);
    expect(notices).toEqual([]);
  });

  it("can be closed twice", async () => {
    const desk = await open();
    const closed = [desk.close(), desk.close(), desk[Symbol.asyncDispose]()];
    await expect(Promise.all(closed)).resolves.toHaveLength(3);
  });
});
