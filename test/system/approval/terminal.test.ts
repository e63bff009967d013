import { afterAll, expect, it } from "vitest";
import { runTerminal, useRealPrograms } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp } from "../../fixture/program.ts";
import { openTerminal } from "../../fixture/pseudo-terminal.ts";

afterAll(cleanUp);
useRealPrograms();

const NEW = "New PIN (6 to 64 characters): ";
const AGAIN = "New PIN again: ";

it("hoga pin sets nothing when the terminal goes", async () => {
  const home = freshHome();
  const window = openTerminal(["pin"], { home });
  await window.see(NEW);
  window.type("12345678\r");
  await window.see(AGAIN);
  window.close();
  await window.ended;
  // Still the first: nobody is asked for a current one.
  const set = await runTerminal(["pin"], { home }, [
    [NEW, "12345678"],
    [AGAIN, "12345678"],
  ]);
  expect(set.code).toBe(0);
});
