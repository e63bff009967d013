import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { ORDER_POST, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  await cleanUp();
});

interface Said {
  readonly outcome: string;
  readonly intent_id?: string;
  readonly duplicate_of?: string;
  readonly error?: { readonly code: string };
}

/** An exchange behind a proxy, and a command that asks it for the same order each time. */
async function shell() {
  const box = await startSandbox({ home: freshHome() });
  const proxy = await startFaultProxy(box.line.base_url);
  ends.push(() => proxy.close());
  const home = freshHome();
  writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
  const place = { home, env: quartet(proxy.url, box.line.api_key, box.line.api_secret) };
  const order = ["call", "--json", ...limitBuy("90000000")];
  return {
    proxy,
    begin: () => start(order, place),
    again: async (): Promise<Said> => oneLine(await run(order, place)),
    open: async () => oneLine<{ orders: readonly unknown[] }>(await run(["orders", "--json"], place)).orders.length,
  };
}

it("a repeated command whose first process was killed while it sent reports that the order is placed, and sends nothing", async () => {
  const { proxy, begin, again, open } = await shell();
  proxy.plan(ORDER_POST, "lose_hang");
  const first = begin();
  await proxy.reached(ORDER_POST);
  await first.stop("SIGKILL");
  expect(await again()).toMatchObject({ outcome: "accepted", duplicate_of: expect.any(String) });
  expect(await open()).toBe(1);
  // Now it is known, and whoever wants a second one says so.
  expect(await again()).toMatchObject({ outcome: "accepted" });
  expect(await again()).toMatchObject({ outcome: "accepted" });
  expect(await open()).toBe(3);
});

it("a command whose answer nobody took is answered with its order when it is repeated, and one that was read is done", async () => {
  const { begin, again, open } = await shell();
  const unread = begin();
  // As `hoga call … | true`: nobody reads the other end of the pipe any more.
  unread.child.stdout.destroy();
  await unread.ended;
  expect(await open()).toBe(1);
  const first = await again();
  expect(first).toMatchObject({ outcome: "accepted", state: "open", duplicate_of: first.intent_id });
  expect(await open()).toBe(1);
  const second = await again();
  expect(second).toMatchObject({ outcome: "accepted" });
  expect(second.duplicate_of).toBeUndefined();
  expect(await open()).toBe(2);
});
