import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { cleanUp, openTerminal, PIN, run, runTerminal, setPin } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";

// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const NEW = "New PIN (6 to 64 characters): ";
const AGAIN = "New PIN again: ";
const CURRENT = "Current PIN: ";

describe("hoga pin", () => {
  const home = freshHome();

  it.each([
    ["too short", "12345", "12345", "A PIN has 6 to 64 characters."],
    ["too long", "x".repeat(65), "x".repeat(65), "A PIN has 6 to 64 characters."],
    ["empty", "", "", "A PIN has 6 to 64 characters."],
    ["typed differently the second time", "123456", "123457", "The two are not the same."],
  ])("takes none that is %s", async (_, first, second, words) => {
    const ended = await runTerminal(["pin"], { home }, [
      [NEW, first],
      [AGAIN, second],
    ]);
    expect(ended.code).toBe(2);
    expect(ended.screen).toContain(words);
    if (first !== "") expect(ended.screen).not.toContain(first);
  });

  it("sets nothing when the person gives up", async () => {
    for (const key of ["\u0003", "\u0004"]) {
      const terminal = openTerminal(["pin"], { home });
      await terminal.see(NEW);
      terminal.type("12345678\r");
      await terminal.see(AGAIN);
      terminal.type(`1234${key}`);
      const ended = await terminal.ended;
      expect(ended.code).toBe(3);
      expect(ended.screen).toContain("Given up.");
    }
    // Still the first: nobody is asked for a current one.
    await setPin(home);
  });

  it("is changed by whoever knows it, and by nobody else", async () => {
    const change = (current: string, next: string) =>
      runTerminal(["pin"], { home }, [
        [CURRENT, current],
        [NEW, next],
        [AGAIN, next],
      ]);
    const wrong = await change("not the pin", "another pin");
    expect(wrong.code).toBe(3);
    expect(wrong.screen).toContain("Wrong PINs left before it is locked for a while: 4.");
    const right = await change(PIN, "another pin");
    expect(right.code).toBe(0);
    expect(right.screen).toContain("The PIN is set.");
    for (const typed of ["not the pin", "another pin", PIN])
      expect(`${wrong.screen}${right.screen}`).not.toContain(typed);
    expect((await change(PIN, "a third pin")).code).toBe(3);
    expect((await change("another pin", PIN)).code).toBe(0);
  });

  it("takes corrections, and characters of every script", async () => {
    const typed = await runTerminal(["pin"], { home }, [
      [CURRENT, `x\u007f${PIN}yz\b\b`],
      [NEW, "비밀번호 📈 1"],
      [AGAIN, "비밀번호 📈📈\u007f 1"],
    ]);
    expect(typed.screen).not.toMatch(/비|밀|📈/);
    expect(typed.code).toBe(0);
    const back = await runTerminal(["pin"], { home }, [
      [CURRENT, "비밀번호 📈 1"],
      [NEW, PIN],
      [AGAIN, PIN],
    ]);
    expect(back.code).toBe(0);
  });

  it("shows nothing of what is typed ahead of a question or after the last, and takes none of it for an answer", async () => {
    const terminal = openTerminal(["pin"], { home });
    await terminal.see(CURRENT);
    terminal.type(`${PIN}\rahead-one\rahead-two\r`);
    await terminal.see(NEW);
    terminal.type("another pin\r");
    await terminal.see(AGAIN);
    terminal.type("another pin\r");
    await pause(30);
    terminal.type("behind");
    const ended = await terminal.ended;
    expect(ended.screen.replaceAll(/\r?\n/g, "|")).toBe(
      `${CURRENT}|${NEW}|${AGAIN}|The PIN is set. It approves orders (hoga approve) and resumes trading (hoga resume).|`,
    );
    expect(ended.code).toBe(0);
  });

  it("is not asked for without a terminal", async () => {
    const ended = await run(["pin"], { home });
    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.stderr).toContain("Setting the PIN is a person's to do");
  });
});
