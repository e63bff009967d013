import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { limitBuy, oneLine, QUIET, quartet } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { allowDrafts, MODULES, PAYEE } from "../fixture/drafts-home.ts";
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

it("hoga settle shows what look-ups have found of an order, and of a remittance, before it asks for the PIN", async () => {
  const box = await startSandbox({ home: freshHome() }, [...QUIET, "--drafts"]);
  const proxy = await startFaultProxy(box.line.base_url);
  const home = freshHome();
  await setPin(home);
  allowDrafts(home, "bounded");
  const key = `key = "${box.line.api_key}"\nsecret = "${box.line.api_secret}"`;
  const profile = `environment = "sandbox"\nbase_url = "${proxy.url}"\n${key}\nmodules = ${MODULES}\nnonce_fence = false\n`;
  const config = `default_profile = "desk"\n\n[profiles.desk]\n${profile}`;
  writeFileSync(join(home, "config.toml"), config, { mode: 0o600 });
  const place = { home };
  const call = async <T>(tool: string, fields: object): Promise<T> =>
    oneLine(await run(["call", "--json", tool, JSON.stringify(fields)], place)) as T;
  const screenOf = async (id: string): Promise<string> =>
    (await runTerminal(["settle", id, "not-placed"], place, [["PIN: ", "not the pin"]])).screen;

  proxy.plan(ORDER_POST, "refuse");
  const lost = await run(["call", "--json", ...limitBuy("90000000"), "--userref", "lost"], place);
  expect(oneLine(lost)).toMatchObject({ outcome: "unknown" });
  expect(await screenOf("lost")).toMatch(
    /What is known of lost: Looked up by its own name, \d+ times .* What is locked/,
  );

  const abroad = { source_asset: "KRW", target_currency: "USD", amount: "200000", destination_country: "US" };
  const { quote } = await call<{ quote: { quote_id: string } }>("quote_remittance", abroad);
  proxy.plan(/^POST \/v0.1\/remittances$/, "refuse");
  const travel = { beneficiary: PAYEE, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY_SUPPORT" };
  const request = { quote_id: quote.quote_id, ...travel };
  const sent = await call<{ transfer_id: string }>("send_remittance", request);
  expect(sent).toMatchObject({ outcome: "unknown" });
  const shown = await screenOf(sent.transfer_id);
  expect(shown).toContain(`What is known of ${sent.transfer_id}: Looked up by its own name,`);
  expect(shown).not.toContain("is locked is");
  const told = await run(["call", "get_remittance", JSON.stringify({ transfer_id: sent.transfer_id })], place);
  expect(told.stdout).toContain("the exchange has not shown it");
  await proxy.close();
});
