import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Ended, oneLine, type Running } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { venueOrders } from "../fixture/witness.ts";
import { checkpoint, confirmHome, deafen, LIMIT, setPolicy, waitingIn } from "./home.ts";

// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

describe("orders that wait", () => {
  let home: string;
  beforeAll(async () => {
    home = await confirmHome();
    await startSandbox({ home });
  });

  const ids = new Map<string, string>();
  const idOf = (userref: string): string => ids.get(userref) ?? "";
  const approve = (id: string, ...options: string[]) =>
    runTerminal(["approve", id, ...options], { home }, [["PIN: ", PIN]]);

  it("are none at first", async () => {
    expect(await run(["pending"], { home })).toMatchObject({
      code: 0,
      stdout: "[sandbox] No order waits for approval.\n",
      stderr: "",
    });
    const listed = await run(["pending", "--json"], { home });
    expect(oneLine(listed)).toEqual({ pending: [], environment: "sandbox", account: "paper", unit: "KRW" });
  });

  it("are reported with exit code 3, and listed", async () => {
    for (const [userref, volume] of [
      ["one", "0.001"],
      ["two", "0.002"],
      ["three", "0.003"],
      ["four", "0.004"],
    ] as const) {
      const order = JSON.stringify({ ...LIMIT, base_volume: volume, userref });
      const placed = await run(["call", "place_order", order, "--json"], { home });
      expect(placed.code).toBe(3);
      const { intent_id, next_action } = oneLine<{ readonly intent_id: string; readonly next_action: string }>(placed);
      expect(next_action).toContain(` approve ${intent_id} --profile paper`);
      ids.set(userref, intent_id);
    }
    const listed = await run(["pending"], { home });
    const [whose, head, ...rows] = listed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(whose).toEqual(['[sandbox] What waits for a person at account "paper":']);
    expect(head).toEqual(["id", "market", "side", "type", "size", "price", "counts for KRW", "lapses"]);
    expect(rows.map((row) => row.slice(1, 7).join(" "))).toEqual([
      "BTC/KRW buy limit 0.001 90000000 90000",
      "BTC/KRW buy limit 0.002 90000000 180000",
      "BTC/KRW buy limit 0.003 90000000 270000",
      "BTC/KRW buy limit 0.004 90000000 360000",
    ]);
    expect(rows.map(([id]) => id)).toEqual([...ids.values()]);
  });

  it("cannot be approved before a PIN is set, and nobody is asked for one", async () => {
    const ended = await runTerminal(["approve", "one"], { home }, []);
    expect(ended.code).toBe(3);
    expect(ended.screen).toContain("No PIN is set yet.");
    expect(ended.screen).not.toContain("PIN: ");
    await setPin(home);
  });

  it("are shown whole, and placed by the PIN, by userref or by id", async () => {
    const first = await approve("one");
    expect(first.code).toBe(0);
    for (const words of [
      "[sandbox] Approve this order?",
      "BUY 0.001 BTC on BTC/KRW at ₩90,000,000 each (limit, GTC).",
      'At hoga: account "paper", profile paper, paper money.',
      "Accepted: buy 0.001 BTC",
    ])
      expect(first.screen).toContain(words);
    expect(first.screen).not.toContain(PIN);
    const second = await approve(idOf("two"), "--json");
    expect(second.code).toBe(0);
    const report = JSON.parse(second.screen.trimEnd().split("\n").at(-1) ?? "") as object;
    expect(report).toMatchObject({ outcome: "accepted", userref: "two", order: { state: "open" } });
    expect((await venueOrders(home)).map(({ userref }) => userref)).toEqual(["two", "one"]);
  });

  it("are not placed without a terminal, with a wrong PIN, by a wrong name, or twice", async () => {
    const piped = await run(["approve", "three", "--json"], { home });
    expect(piped.code).toBe(3);
    expect(oneLine(piped)).toMatchObject({ error: { code: "ELocal:Not approved" } });
    const wrong = await runTerminal(["approve", "three"], { home }, [["PIN: ", "wrong one"]]);
    expect(wrong.code).toBe(3);
    expect(wrong.screen).not.toContain("wrong one");
    const { entries } = oneLine<{ readonly entries: readonly object[] }>(
      await run(["audit", "show", "--limit", "1", "--json"], { home }),
    );
    expect(entries).toMatchObject([{ event: "pin_tried", detail: { tries_left: 4 } }]);
    for (const name of [idOf("one"), "thre", ""]) {
      const ended = await runTerminal(["approve", name], { home }, []);
      expect({ name, code: ended.code }).toEqual({ name, code: 1 });
      expect(ended.screen).toContain("No order with this id waits for approval.");
    }
    expect((await runTerminal(["approve"], { home }, [])).code).toBe(2);
    expect(await venueOrders(home)).toHaveLength(2);
  });

  it("go on waiting where the policy does not let them through, which is exit code 3", async () => {
    for (const [settings, words] of [
      [{ approve_by: '["client"]' }, "does not take approval by pin"],
      [{ mode: '"read-only"' }, "read-only"],
      [{ max_order_krw: '"1000"' }, "max_order_krw"],
    ] as const) {
      setPolicy(home, settings);
      const ended = await approve("three");
      expect(ended.screen).toContain(words);
      expect(ended.code).toBe(3);
    }
    setPolicy(home, {});
    expect((await waitingIn(home)).map(({ userref }) => userref).sort()).toEqual(["four", "three"]);
    expect(await venueOrders(home)).toHaveLength(2);
  });

  it("are not reported as denied while the denial cannot be stored", async () => {
    await deafen(home, true);
    const no = await run(["deny", "three"], { home });
    expect(no).toMatchObject({ code: 1, stdout: "" });
    expect(no.stderr).toContain("Not denied: it may still be approved.");
    expect(oneLine(await run(["deny", "three", "--json"], { home }))).toMatchObject({
      environment: "sandbox",
      error: { code: "ELocal:Store unavailable" },
    });
    await deafen(home, false);
    expect((await waitingIn(home)).map(({ userref }) => userref)).toContain("three");
  });

  it("are denied by anybody, by userref or by id, once", async () => {
    const id = idOf("three");
    expect(await run(["deny", "three"], { home })).toMatchObject({
      code: 0,
      stdout: `Denied: ${id}. Nothing was sent.\n`,
    });
    const four = await run(["deny", idOf("four"), "--json"], { home });
    expect(four.code).toBe(0);
    expect(oneLine(four)).toMatchObject({ outcome: "not_sent", state: "denied", userref: "four" });
    expect((await run(["deny", "four"], { home })).code).toBe(1);
    expect((await run(["deny"], { home })).code).toBe(2);
    expect((await runTerminal(["approve", "three"], { home }, [])).code).toBe(1);
    expect(await waitingIn(home)).toEqual([]);
    expect(await venueOrders(home)).toHaveLength(2);
  });
});

describe("several that wait", () => {
  let home: string;
  beforeAll(async () => {
    home = await confirmHome();
    await startSandbox({ home });
    await setPin(home);
  });
  afterEach(async () => {
    setPolicy(home, {});
    await run(["deny", "--all"], { home });
  });

  const wait = async (...userrefs: string[]): Promise<void> => {
    for (const [at, userref] of userrefs.entries()) {
      const order = JSON.stringify({ ...LIMIT, base_volume: `0.00${made + at + 1}`, userref });
      expect((await run(["call", "place_order", order, "--json"], { home })).code).toBe(3);
    }
    made += userrefs.length;
  };
  let made = 0;
  const waits = async () => (await waitingIn(home)).map(({ userref }) => userref).toSorted();
  const placed = async () => (await venueOrders(home)).map(({ userref }) => userref ?? "").toSorted();
  /** As often as the terminal asks for it. */
  const approve = (...words: string[]) => runTerminal(["approve", ...words], { home }, [["PIN: ", PIN]]);
  const results = (screen: string) =>
    (JSON.parse(screen.trimEnd().split("\n").at(-1) ?? "") as { readonly results: readonly object[] }).results;

  it("are approved by one PIN, after each sheet was shown, and no other is", async () => {
    await wait("a", "b", "c");
    const { screen, code } = await approve("a", "b", "a");
    expect(screen.match(/Approve this order/g)).toHaveLength(2);
    expect(screen.match(/PIN: /g)).toHaveLength(1);
    expect(screen.lastIndexOf("Approve this order")).toBeLessThan(screen.indexOf("PIN: "));
    expect(screen.match(/Accepted: buy/g)).toHaveLength(2);
    expect(code).toBe(0);
    expect([await placed(), await waits()]).toEqual([["a", "b"], ["c"]]);
  });

  it("are all approved by --all, and what is refused among them makes it exit code 1", async () => {
    await wait("d", "e");
    setPolicy(home, { max_open_orders: "3" });
    const { screen, code } = await approve("--all", "--json");
    expect(results(screen)).toMatchObject([
      { outcome: "accepted", userref: "d" },
      { outcome: "not_sent", userref: "e", error: { code: "ELocal:Denied by policy" } },
    ]);
    expect(code).toBe(1);
    expect(await placed()).toEqual(["a", "b", "d"]);
  });

  it("stay as they are where one of them does not wait, or the PIN is wrong", async () => {
    await wait("f", "g");
    const absent = await runTerminal(["approve", "f", "nobody"], { home }, []);
    expect(absent.screen).toContain("#2: No order with this id waits for approval.");
    expect((await run(["deny", "f", "nobody"], { home })).code).toBe(1);
    expect((await runTerminal(["approve", "--all"], { home }, [["PIN: ", "wrong one"]])).code).toBe(3);
    expect(await waits()).toEqual(["f", "g"]);
  });

  it("are denied, each by its name or all, with the sheets shown", async () => {
    await wait("h", "i", "j");
    const two = await run(["deny", "h", "i", "--json"], { home });
    expect(results(two.stdout)).toMatchObject([
      { state: "denied", userref: "h" },
      { state: "denied", userref: "i" },
    ]);
    expect(two.stderr.match(/Approve this order/g)).toHaveLength(2);
    const rest = await run(["deny", "--all"], { home });
    expect(rest).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Denied: \S+\. Nothing was sent\.\n$/) });
    expect(await run(["deny", "--all"], { home })).toMatchObject({ code: 0, stdout: "No order waits for approval.\n" });
    expect(await waits()).toEqual([]);
  });

  it("are meant by ids or by --all, never by both or none", async () => {
    for (const command of ["approve", "deny"])
      for (const words of [[], ["a", "--all"]])
        expect((await runTerminal([command, ...words], { home }, [])).code).toBe(2);
  });
});

describe("the kill switch and the log", () => {
  let home: string;
  let exchange: Running;
  beforeAll(async () => {
    home = await confirmHome({ mode: '"bounded"', approval_over_krw: '"900000000"' });
    exchange = await startSandbox({ home });
    await setPin(home);
  });
  const place = (userref: string, base_volume: string): Promise<Ended> =>
    run(["call", "place_order", JSON.stringify({ ...LIMIT, base_volume, userref }), "--json"], { home });
  const stateOf = async (): Promise<readonly (readonly [string | null, string])[]> =>
    (await venueOrders(home)).map(({ userref, state }) => [userref, state] as const);

  it("hoga halt cancels everything, and no order is sent until a person resumes", async () => {
    expect((await place("rests", "0.001")).code).toBe(0);
    const halted = await run(["halt", "--json", "--reason", "canary-reason"], { home });
    expect(halted).toMatchObject({ code: 0, stderr: "" });
    expect(oneLine(halted)).toMatchObject({ brake: "everywhere", canceled: 1, remaining: 0, unresolved: [] });
    const refused = await place("refused", "0.002");
    expect(refused.code).toBe(3);
    expect(oneLine(refused)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    expect((await run(["halt"], { home })).stdout).toContain(
      "On sandbox, account paper: 0 orders canceled, 0 still open.",
    );
    expect(await stateOf()).toEqual([["rests", "canceled"]]);
  });

  it("hoga resume takes the PIN on a terminal", async () => {
    expect((await run(["resume"], { home })).code).toBe(3);
    const wrong = await runTerminal(["resume"], { home }, [["PIN: ", "wrong one"]]);
    expect(wrong.code).toBe(3);
    expect(wrong.screen).not.toContain("wrong one");
    const { entries } = oneLine<{ readonly entries: readonly Entry[] }>(
      await run(["audit", "show", "--limit", "1", "--json"], { home }),
    );
    expect(entries).toMatchObject([{ event: "pin_tried", detail: { tries_left: 4 } }]);
    expect((await place("still refused", "0.002")).code).toBe(2);
    expect((await place("still-refused", "0.002")).code).toBe(3);
    const right = await runTerminal(["resume"], { home }, [["PIN: ", PIN]]);
    expect(right.code).toBe(0);
    expect(right.screen).toContain("Trading goes on.");
    expect(right.screen).not.toContain(PIN);
    expect((await place("goes", "0.002")).code).toBe(0);
    expect(await stateOf()).toEqual([
      ["goes", "open"],
      ["rests", "canceled"],
    ]);
  });

  it("hoga resume is recorded where the key is not available", async () => {
    const elsewhere = freshHome();
    await setPin(elsewhere);
    const config =
      'default_profile = "l"\n[profiles.l]\nenvironment = "live"\nbase_url = "http://127.0.0.1:9"\nkey_command = "exit 1"\n';
    writeFileSync(join(elsewhere, "config.toml"), config, { mode: 0o600 });
    await run(["halt"], { home: elsewhere });
    const lifted = await runTerminal(["resume"], { home: elsewhere }, [["PIN: ", PIN]]);
    expect(lifted).toMatchObject({ code: 0, screen: expect.stringContaining("Trading goes on.") });
    const log = oneLine<{ readonly entries: readonly Entry[] }>(
      await run(["audit", "show", "--json"], { home: elsewhere }),
    );
    expect(log.entries[0]).toMatchObject({ event: "resumed", detail: { by: "a person at a terminal" } });
  });

  type Entry = { readonly seq: number; readonly event: string; readonly hash?: string };

  it("hoga audit shows what happened, newest first", async () => {
    const shown = await run(["audit"], { home });
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout.split("\n")[0]?.split(/ {2,}/)).toEqual([
      "seq",
      "time",
      "event",
      "state",
      "intent",
      "order id",
    ]);
    const { entries } = oneLine<{ readonly entries: readonly Entry[] }>(
      await run(["audit", "show", "--json"], { home }),
    );
    expect(entries.map(({ event }) => event)).toEqual(expect.arrayContaining(["halted", "resumed", "order_denied"]));
    const seqs = entries.map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((x, y) => y - x));
    const two = await run(["audit", "show", "--limit", "2", "--json"], { home });
    expect(oneLine<{ readonly entries: readonly Entry[] }>(two).entries).toEqual(entries.slice(0, 2));
    for (const args of [
      ["audit", "burn"],
      ["audit", "show", "--limit", "0"],
    ])
      expect((await run(args, { home })).code).toBe(2);
  });

  it("hoga audit export writes every entry with its hashes, and never over a file", async () => {
    const printed = await run(["audit", "export"], { home });
    expect(printed.code).toBe(0);
    const lines = printed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry & { readonly head?: object });
    const entries = lines.slice(0, -1);
    expect(lines.at(-1)).toEqual({
      head: expect.objectContaining({ count: entries.length, hash: entries.at(-1)?.hash }),
    });
    const verified = await run(["audit", "verify", "--json"], { home });
    expect(verified.code).toBe(0);
    expect(oneLine(verified)).toMatchObject({ ok: true, count: entries.length, headHash: entries.at(-1)?.hash });

    const head = `${entries.length}:${entries.at(-1)?.hash}`;
    expect((await run(["audit", "verify", "--head", head], { home })).code).toBe(0);
    const elsewhere = await run(["audit", "verify", "--head", `${entries.length}:${"0".repeat(64)}`], { home });
    expect(elsewhere).toMatchObject({ code: 1, stdout: expect.stringContaining("this is another log") });
    expect(await run(["audit", "verify", "--head", "7"], { home })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("COUNT:HASH"),
    });

    const out = join(home, "log.jsonl");
    expect((await run(["audit", "export", "--out", out], { home })).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(printed.stdout);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    writeFileSync(out, "mine");
    for (const path of [out, home, join(home, "no", "such", "place")]) {
      const refused = await run(["audit", "export", "--out", path], { home });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(path);
    }
    expect(readFileSync(out, "utf8")).toBe("mine");
  });

  it("hoga audit verify finds one changed bit of the file, and says which entry", async () => {
    expect((await run(["audit", "verify"], { home })).stdout).toMatch(
      /^The audit log is whole: \d+ rows, head \d+:[0-9a-f]{64}\.\n$/,
    );
    await exchange.stop();
    await checkpoint(home);
    const path = join(home, "hoga.db");
    const bytes = readFileSync(path);
    const wanted = Buffer.from("canary-reason");
    let changed = 0;
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      changed += 1;
    }
    expect(changed).toBeGreaterThan(0);
    writeFileSync(path, bytes);
    const found = await run(["audit", "verify", "--json"], { home });
    expect(found.code).toBe(1);
    const verdict = oneLine<{ readonly ok: boolean; readonly seq: number }>(found);
    expect(verdict).toMatchObject({ ok: false, what: "changed" });
    const told = await run(["audit", "verify"], { home });
    expect(told.code).toBe(1);
    expect(told.stdout).toContain(`NOT whole: row ${verdict.seq} is not as it was written`);
  });
});
