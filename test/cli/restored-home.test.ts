/** A data directory that is behind what is known of it, or is another than it was: the brake is on, nothing waits, and the log says so. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { limitBuy, oneLine } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { widePaperHome } from "../fixture/home.ts";
import { softwarePasskey } from "../fixture/passkey.ts";
import { unwrap } from "../fixture/result.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  home = await widePaperHome({ approval_over_krw: "100000" });
  env = { XDG_STATE_HOME: freshHome() };
});

const hoga = (...args: string[]) => run([...args, "--json"], { home, env });
const place = (price: string, volume: string) => hoga("call", ...limitBuy(price, volume));
const DATABASE = /^hoga\.db/;

/** @returns puts the store back as it is now; overwritten in place, as some ways to restore do */
function copied(inPlace: boolean): () => void {
  const copy = freshHome();
  const files = () => readdirSync(home).filter((name) => DATABASE.test(name));
  const names = files();
  for (const name of names) cpSync(join(home, name), join(copy, name));
  return () => {
    for (const name of files()) if (!inPlace || !names.includes(name)) rmSync(join(home, name));
    for (const name of names) writeFileSync(join(home, name), readFileSync(join(copy, name)), { mode: 0o600 });
  };
}

async function expectStopped(verdict: string, code: number): Promise<void> {
  const denied = await place("91000000", "0.001");
  expect(oneLine(denied)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
  expect(denied.stdout).toMatch(/put back from a copy/);
  expect(oneLine(await hoga("pending"))).toMatchObject({ pending: [] });
  const verified = await run(["audit", "verify"], { home, env });
  expect(verified.stdout).toContain(verdict);
  expect(verified.code).toBe(code);
}

async function enrol(dir: string): Promise<void> {
  const store = await openStore({ path: join(dir, "hoga.db") }, parts);
  await unwrap(store.passkeys.enrol(softwarePasskey().enrolled, "the PIN"));
  store.close();
}

/** At the console, for a day. */
async function signIn(dir: string): Promise<void> {
  const store = await openStore({ path: join(dir, "hoga.db") }, parts);
  const nowMs = Date.now();
  await unwrap(store.consoleSessions.add({ digest: "d", letInBy: "person", endsAtMs: nowMs + 86_400_000 }, nowMs));
  store.close();
}

async function isSignedIn(dir: string): Promise<boolean> {
  const store = await openStore({ path: join(dir, "hoga.db") }, parts);
  const found = await unwrap(store.consoleSessions.find("d", Date.now()));
  store.close();
  return found !== undefined;
}

async function passkeysOf(dir: string): Promise<readonly unknown[]> {
  const store = await openStore({ path: join(dir, "hoga.db") }, parts);
  const found = await unwrap(store.passkeys.list());
  store.close();
  return found;
}
const parts = { clock: { now: () => Date.now(), sleep: async () => undefined }, random: Math.random };

describe("a store that was put back from a copy", () => {
  it.each([
    ["by files of the same name", false],
    ["by the contents of the same files", true],
  ])("%s is stopped until a person resumes", async (_, inPlace) => {
    await setPin(home);
    expect(oneLine(await place("90000000", "0.002"))).toMatchObject({ state: "awaiting_approval" });
    await hoga("tokens", "create", "reporter");
    await enrol(home);
    await signIn(home);
    const putBack = copied(inPlace);
    expect(oneLine(await place("90000000", "0.001"))).toMatchObject({ outcome: "accepted" });
    await hoga("tokens", "revoke", "reporter");
    putBack();
    await expectStopped("NOT whole: all", 1);
    // What was revoked since would count again.
    expect(oneLine(await hoga("tokens", "list"))).toEqual({ tokens: [] });
    expect(await passkeysOf(home)).toEqual([]);
    expect(await isSignedIn(home)).toBe(false);
    const resumed = await runTerminal(["resume"], { home, env }, [["PIN: ", PIN]]);
    expect(resumed.screen).toContain("Trading goes on.");
    // It was found once, and goes on as a store of its own.
    expect(oneLine(await place("92000000", "0.001"))).toMatchObject({ outcome: "accepted" });
    expect(oneLine(await hoga("audit", "verify"))).toMatchObject({ ok: false, what: "restored" });
  });

  it("is stopped where what tells how far it had come is lost too", async () => {
    expect(oneLine(await place("90000000", "0.002"))).toMatchObject({ state: "awaiting_approval" });
    const putBack = copied(false);
    putBack();
    rmSync(env["XDG_STATE_HOME"] ?? "", { recursive: true });
    await expectStopped("is whole", 0);
  });

  it("is no other where nothing was written since", async () => {
    expect(oneLine(await place("90000000", "0.001"))).toMatchObject({ outcome: "accepted" });
    copied(true)();
    expect(oneLine(await place("91000000", "0.001"))).toMatchObject({ outcome: "accepted" });
  });
});
