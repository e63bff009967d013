/** What a person is told to type while an order waits runs as it is printed, in a shell that knows nothing of hoga. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { confirmHome, LIMIT, setPolicy } from "../../approval/home.ts";
import { oneLine } from "../../fixture/command.ts";
import { PIN, run, startSandbox, useRealPrograms } from "../../fixture/command-line.ts";
import { cleanUp } from "../../fixture/program.ts";
import { openShell } from "../../fixture/pseudo-terminal.ts";

useRealPrograms();
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
beforeAll(async () => {
  home = await confirmHome();
  await startSandbox({ home });
});

/** Typed into a shell with no variable of the test, and nothing of ours on its path. */
async function typed(command: string, answers: readonly (readonly [string, string])[]): Promise<string> {
  const terminal = openShell(command, { PATH: "/usr/bin:/bin", HOME: "/nonexistent" });
  for (const [question, answer] of answers) {
    await terminal.see(question);
    terminal.type(`${answer}\r`);
  }
  return (await terminal.ended).screen;
}

async function asked(
  base_volume: string,
): Promise<{ readonly next_action: string; readonly commands: readonly string[] }> {
  const placed = await run(["call", "place_order", JSON.stringify({ ...LIMIT, base_volume }), "--json"], { home });
  const { next_action } = oneLine<{ readonly next_action: string }>(placed);
  return { next_action, commands: [...next_action.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command) };
}

it("says first that there is no PIN, and both commands run as they are printed", async () => {
  const { next_action, commands } = await asked("0.001");
  expect(next_action).toMatch(/^A person has to approve it, and no PIN is set yet: first, on a terminal, `/);
  const [pin = "", approve = ""] = commands;
  const set = await typed(pin, [
    ["New PIN (6 to 64 characters): ", PIN],
    ["New PIN again: ", PIN],
  ]);
  expect(set).toContain("The PIN is set.");
  const approved = await typed(approve, [["PIN: ", PIN]]);
  expect(approved).toContain("Accepted: buy 0.001 BTC");
});

it("names the one command once there is a PIN", async () => {
  const { next_action, commands } = await asked("0.002");
  expect(next_action).toMatch(/^A person has to approve it: on a terminal with `/);
  expect(commands).toHaveLength(1);
  expect(await typed(commands[0] ?? "", [["PIN: ", PIN]])).toContain("Accepted: buy 0.002 BTC");
});

it("names no command where policy.toml takes no PIN", async () => {
  setPolicy(home, { approve_by: '["client"]' });
  const { next_action, commands } = await asked("0.003");
  expect(commands).toEqual([]);
  expect(next_action).toContain("in the form of their client");
});
