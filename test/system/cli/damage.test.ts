import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { limitBuy, oneLine } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../../fixture/program.ts";
import { expectClear } from "../../fixture/refusal.ts";

afterAll(cleanUp);

const ORDER = ["call", ...limitBuy()];

/** The file that the exchange of a data directory wrote last. */
function newestJournal(home: string): string {
  const dir = join(home, "sandbox");
  const journals = readdirSync(dir).filter((name) => name.startsWith("journal-"));
  return join(dir, journals.sort().at(-1) ?? "");
}

describe("a damaged data directory", () => {
  it("is named with what to do: the exchange's journal", async () => {
    const home = wideHome();
    const sandbox = await startSandbox({ home });
    const orders = [1, 2, 3].map(() => run(ORDER, { home }));
    await Promise.all(orders);
    await sandbox.stop("SIGKILL");
    const journal = newestJournal(home);
    const bytes = readFileSync(journal);
    bytes.write("XXXX", Math.floor(bytes.length / 2));
    writeFileSync(journal, bytes);
    for (const args of [["orders"], ["sandbox", "--port", "0"], ["serve"]]) {
      const ended = await run(args, { home });
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expectClear(ended, /journal-\d+\.log: damaged record/, [sandbox.line.api_secret]);
    }
  });

  it("is repaired where only a crash can be the cause: a torn last record", async () => {
    const home = wideHome();
    const sandbox = await startSandbox({ home });
    const placed = oneLine<{ userref: string }>(await run([...ORDER, "--json"], { home }));
    await sandbox.stop("SIGKILL");
    appendFileSync(newestJournal(home), '1234abcd {"seq":99,"at":1,"com');
    expect(oneLine(await run(["orders", "--json"], { home }))).toMatchObject({ orders: [{ userref: placed.userref }] });
  });
});
