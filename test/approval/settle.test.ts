import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { limitBuy, oneLine, quartet } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { ORDER_POST, startFaultProxy } from "../fixture/fault-proxy.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
afterAll(cleanUp);

it("hoga settle takes a person's word on an order without an answer: with the PIN, on a terminal, and not too soon", async () => {
  const box = await startSandbox({ home: freshHome() });
  const proxy = await startFaultProxy(box.line.base_url);
  const home = freshHome();
  await setPin(home);
  writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
  const place = { home, env: quartet(proxy.url, box.line.api_key, box.line.api_secret) };
  proxy.plan(ORDER_POST, "lose_reset");
  proxy.plan(/^GET \/v1\/orders\?.*userref=/, "deny", 99);
  const lost = await run(["call", "--json", ...limitBuy("90000000"), "--userref", "lost"], place);
  expect(lost.code).toBe(4);
  expect(oneLine<{ next_action: string }>(lost).next_action).toContain("hoga settle lost");
  const [order] = oneLine<{ orders: { orderId: string }[] }>(await run(["orders", "--json"], place)).orders;

  expect((await run(["settle", "lost", "placed"], place)).code).toBe(3);
  expect((await run(["settle", "lost", "perhaps"], place)).code).toBe(2);
  const wrong = await runTerminal(["settle", "lost", "not-placed"], place, [["PIN: ", "not the pin"]]);
  expect(wrong.code).toBe(3);
  const early = await runTerminal(["settle", "lost", "not-placed"], place, [["PIN: ", PIN]]);
  expect(early.screen).toContain("may still be on its way");
  expect(early.screen).toContain("Not settled: it is as it was.");
  expect(early.code).toBe(1);
  const named = ["settle", "lost", "placed", "--order-id", order?.orderId ?? ""];
  const settled = await runTerminal(named, place, [["PIN: ", PIN]]);
  expect(settled.code).toBe(0);
  const log = await run(["audit", "show", "--json"], place);
  expect(log.stdout).toContain("settled_by_person");
  await proxy.close();
});
