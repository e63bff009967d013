import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { ORDER_POST, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
afterAll(cleanUp);

interface Said {
  readonly outcome: string;
  readonly error?: { readonly code: string };
}

it("a repeated command whose first process was killed while it sent reports that the order is placed, and sends nothing", async () => {
  const box = await startSandbox({ home: freshHome() });
  const proxy = await startFaultProxy(box.line.base_url);
  const home = freshHome();
  writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
  const env = quartet(proxy.url, box.line.api_key, box.line.api_secret);
  const order = limitBuy("90000000");
  proxy.plan(ORDER_POST, "lose_hang");
  const first = start(["call", ...order], { home, env });
  await proxy.reached(ORDER_POST);
  await first.stop("SIGKILL");
  const again = async (): Promise<Said> => oneLine(await run(["call", "--json", ...order], { home, env }));
  const open = async (): Promise<number> =>
    oneLine<{ orders: readonly unknown[] }>(await run(["orders", "--json"], { home, env })).orders.length;
  expect(await again()).toMatchObject({ outcome: "accepted", duplicate_of: expect.any(String) });
  expect(await open()).toBe(1);
  // Now it is known, and whoever wants a second one says so.
  expect(await again()).toMatchObject({ outcome: "accepted" });
  expect(await again()).toMatchObject({ outcome: "accepted" });
  expect(await open()).toBe(3);
  await proxy.close();
});
